package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Attacks the connections that management requests share: requests of one workspace hold as many
/// as they can get, because each of them waits for a row that the test has locked.
class DatabaseShareTest {

    /// More than may hold a connection or wait for one.
    private static final int ATTACKERS = 200;

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    private final String email = UUID.randomUUID() + "@example.com";
    private final Person attacker = Person.register(api, email);
    private final Person neighbour = Person.register(api, UUID.randomUUID() + "@example.com");

    private static UUID workspace(Person person) {
        return UUID.fromString(
                person.get("/api/v1/me").json().path("workspace").path("id").asString());
    }

    @Test
    void a_flood_of_changes_leaves_connections_to_other_workspaces_and_the_rest_of_it_is_503()
            throws Exception {
        String other = otherSession();
        var workspace = workspace(attacker);
        var isLocked = new CountDownLatch(1);
        var isOver = new CountDownLatch(1);
        var flood = new ArrayList<Callable<ApiResponse>>();
        for (int i = 0; i < ATTACKERS; i++) {
            flood.add(() -> attacker.delete("/api/v1/auth/sessions/" + other));
        }
        try (var db = sluice.db();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.execute(() ->
                    db.run(tx -> {
                        tx.query(
                                "select id from session where id = ? for update",
                                row -> row.uuid("id"),
                                UUID.fromString(other));
                        isLocked.countDown();
                        while (isOver.getCount() > 0) {
                            tx.query("select pg_sleep(0.1)", _ -> 0);
                        }
                    }));
            isLocked.await();
            List<Future<ApiResponse>> answers =
                    flood.stream().<Future<ApiResponse>>map(threads::submit).toList();
            try {
                // A part of the flood is refused before it gets here: its sign-in asks the
                // database, too.
                await().until(() -> heldBy(workspace) == 5 && sluice.apiPool().use().waiting() > 0);

                for (int i = 0; i < 20; i++) {
                    var answer = neighbour.get("/api/v1/me");
                    assertThat(answer.status()).isEqualTo(200);
                }
                assertThat(neighbour.post("/api/v1/sources", "{'name':'mine'}").status())
                        .isEqualTo(201);
            } finally {
                isOver.countDown();
            }
            int done = 0;
            for (var answer : answers) {
                if (answer.get().status() != 503) {
                    assertThat(answer.get().status()).isIn(204, 404);
                    done++;
                } else {
                    assertThat(answer.get().errorCode()).isEqualTo("unavailable");
                    assertThat(answer.get().header("Retry-After")).contains("1");
                }
            }
            assertThat(done).as("those that held a connection or waited").isLessThanOrEqualTo(105);
        }
        assertThat(attacker.get("/api/v1/me").status()).isEqualTo(200);
        assertThat(sluice.apiPool().heldByOwner()).isEmpty();
    }

    /// Signs the attacker in once more, and returns that session's id.
    private String otherSession() {
        Person.signIn(api, email);
        return attacker.get("/api/v1/auth/sessions")
                .json()
                .path("items")
                .valueStream()
                .filter(session -> !session.path("is_current").asBoolean())
                .findFirst()
                .orElseThrow()
                .path("id")
                .asString();
    }

    private static int heldBy(UUID workspace) {
        return sluice.apiPool().heldByOwner().entrySet().stream()
                .filter(entry -> entry.getKey().toString().contains(workspace.toString()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }
}
