package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/// Tests that nothing of a deleted workspace works any more, on two nodes.
class WorkspaceDeletionTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final RunningSluice second = sluice.second();
    @AutoClose private static final Db db = sluice.db();
    private static int people;

    private Person owner;
    private String workspace;

    @BeforeEach
    void register() {
        owner = newPerson();
        workspace = workspaceOf(owner);
    }

    private static Person newPerson() {
        people++;
        return Person.register(sluice.api(), "person" + people + "@example.com");
    }

    private static String workspaceOf(Person person) {
        return person.get("/api/v1/me").json().path("workspace").path("id").asString();
    }

    private ApiResponse delete() {
        return owner.delete("/api/v1/workspaces/" + workspace);
    }

    private ApiClient newKey() {
        return new ApiClient(
                sluice.port(), owner.post("/api/v1/api-keys", "{'name':'Key'}").text("key"));
    }

    private Person newMember() {
        var member = newPerson();
        var invite = invite("person" + people + "@example.com");
        assertThat(
                        member.post(
                                        "/api/v1/invites/accept",
                                        "{'token':'" + invite.text("token") + "'}")
                                .status())
                .isEqualTo(200);
        return member;
    }

    private ApiResponse invite(String email) {
        return owner.post(
                "/api/v1/workspaces/" + workspace + "/invites",
                "{'email':'" + email + "','role':'member'}");
    }

    @Test
    void no_key_session_invite_or_ingest_url_works_on_any_node() {
        String secret = owner.post("/api/v1/api-keys", "{'name':'Key'}").text("key");
        var key = new ApiClient(sluice.port(), secret);
        var elsewhere = key.onPort(second.port());
        var source = key.source("Shop");
        String before = source.text("ingest_path");
        String ingestPath =
                key.post("/api/v1/sources/" + source.text("id") + "/rotate-token", "{}")
                        .text("ingest_path");
        var member = newMember();
        var guest = newPerson();
        var invite = invite("person" + people + "@example.com");
        await().untilAsserted(() ->
                assertThat(elsewhere.ingest(ingestPath, "{}").status()).isEqualTo(200));
        assertThat(elsewhere.ingest(before, "{}").status()).as("a rotated token").isEqualTo(200);
        try (var here = SseClient.open(sluice.port(), "/api/v1/stream", member);
                var there = SseClient.open(second.port(), "/api/v1/stream", secret)) {
            here.awaitReady();
            there.awaitReady();

            assertThat(delete().status()).isEqualTo(204);

            assertThat(key.ingest(ingestPath, "{}").status()).isEqualTo(404);
            assertThat(key.ingest(before, "{}").status()).isEqualTo(404);
            assertThat(key.get("/api/v1/me").status()).isEqualTo(401);
            assertThat(elsewhere.get("/api/v1/me").status()).isEqualTo(401);
            await().atMost(Duration.ofSeconds(2))
                    .untilAsserted(() -> {
                        assertThat(elsewhere.ingest(ingestPath, "{}").status()).isEqualTo(404);
                        assertThat(elsewhere.ingest(before, "{}").status()).isEqualTo(404);
                        assertThat(here.messages("bye")).isNotEmpty();
                        assertThat(there.messages("bye")).isNotEmpty();
                    });
        }
        assertThat(workspaceOf(member)).as("moved to the own one").isNotEqualTo(workspace);
        assertThat(member.get("/api/v1/sources").json().path("items")).isEmpty();
        assertThat(member.post("/api/v1/workspaces/" + workspace + "/switch", "").status())
                .isEqualTo(404);
        assertThat(
                        guest.post(
                                        "/api/v1/invites/accept",
                                        "{'token':'" + invite.text("token") + "'}")
                                .status())
                .isEqualTo(404);
        assertThat(delete().status()).isEqualTo(404);
    }

    @Test
    void nobody_can_take_the_tokens_of_its_sources() {
        var key = newKey();
        var source = key.source("Shop");
        var path = "/api/v1/sources/" + source.text("id");
        var once = key.post(path + "/rotate-token", "{}");
        var twice = key.post(path + "/rotate-token", "{}");

        delete();

        var next = owner.post("/api/v1/workspaces", "{'name':'Next'}");
        owner.post("/api/v1/workspaces/" + next.text("id") + "/switch", "");
        for (var ended : new ApiResponse[] {source, once, twice}) {
            String body = "{'name':'s','token':'" + ended.text("token") + "'}";
            var refused = owner.post("/api/v1/sources", body);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.errorMessage())
                    .isEqualTo("token is in use already. Choose another one.");
        }
    }

    @Test
    void who_had_no_other_workspace_keeps_the_account_and_can_make_a_new_one() {
        assertThat(delete().status()).isEqualTo(204);

        assertThat(owner.get("/api/v1/sources").status()).isEqualTo(403);
        assertThat(owner.get("/api/v1/workspaces").json().path("items")).isEmpty();
        var next = owner.post("/api/v1/workspaces", "{'name':'Next'}");
        assertThat(next.status()).isEqualTo(201);
        assertThat(owner.post("/api/v1/workspaces/" + next.text("id") + "/switch", "").status())
                .isEqualTo(200);
        assertThat(owner.get("/api/v1/sources").status()).isEqualTo(200);
    }

    @Test
    void only_the_owner_deletes_it() {
        var member = newMember();

        assertThat(member.delete("/api/v1/workspaces/" + workspace).status()).isEqualTo(403);
        assertThat(newKey().delete("/api/v1/workspaces/" + workspace).status()).isEqualTo(403);
        assertThat(newPerson().delete("/api/v1/workspaces/" + workspace).status()).isEqualTo(404);
        assertThat(owner.delete("/api/v1/workspaces/me").status()).isEqualTo(404);
        assertThat(workspaceOf(owner)).isEqualTo(workspace);
    }

    @Test
    void a_waiting_delivery_ends_unsent() throws IOException {
        try (var receiver = Receiver.start()) {
            var key = newKey();
            var source = key.source("Shop");
            var connection =
                    key.connect(source, key.destination(receiver.url(), ",'status':'paused'"));
            key.ingest(source.text("ingest_path"), "{}");

            delete();

            await().untilAsserted(() ->
                    assertThat(
                                    count(
                                            "select count(*) as n from delivery"
                                                    + " where connection_id = ? and"
                                                    + " status = 4",
                                            connection.text("id")))
                            .isEqualTo(1));
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @Test
    void names_urls_and_secrets_of_its_configuration_are_erased_at_once() {
        var key = newKey();
        var destination =
                key.destination(
                        "https://example.com/private-path",
                        ",'auth_config':{'type':'hmac','secret':'topsecret'}");
        key.connect(key.source("Private name"), destination);

        delete();

        for (String table :
                new String[] {"workspace", "source", "destination", "destination_revision"}) {
            assertThat(
                            db.<Integer>call(tx ->
                                    tx
                                            .query(
                                                    "select to_jsonb(t)::text as line from "
                                                            + table
                                                            + " t",
                                                    row -> row.text("line"))
                                            .stream()
                                            .filter(line -> line.contains("rivate"))
                                            .toList()
                                            .size()))
                    .as(table)
                    .isZero();
        }
        assertThat(count("select count(*) as n from api_key where workspace_id = ?", workspace))
                .isZero();
        assertThat(count("select count(*) as n from member where workspace_id = ?", workspace))
                .isZero();
    }

    private static long count(String sql, String id) {
        return db.call(tx -> tx.single(sql, row -> row.number("n"), UUID.fromString(id)));
    }
}
