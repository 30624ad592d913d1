package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Attacks the CPU: one workspace previews the most expensive filter on the largest event, on many
/// connections, while another one works.
@Nightly
class PreviewFloodTest {

    private static final String PREVIEW_PATH = "/api/v1/connections/preview";
    private static final int CONNECTIONS = 48;
    private static final int RULES = 50;

    /// Before previews had threads of their own, half of the neighbour's webhooks took five seconds
    /// and more.
    private static final Duration MAX_MEDIAN = Duration.ofSeconds(1);

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();
    private static final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static String destination(Person person) {
        return person.post("/api/v1/destinations", "{'name':'d','url':'https://example.com/hook'}")
                .text("id");
    }

    /// Returns the body of the most expensive preview.
    private static String preview(Person person) {
        String source = person.post("/api/v1/sources", "{'name':'s'}").text("ingest_path");
        String event =
                api.ingest(source, "{\"text\":\"" + "a".repeat(1_000_000) + "\"}")
                        .text("request_id");
        String rules =
                IntStream.range(0, RULES)
                        .mapToObj(i ->
                                "{'path':'body.text','op':'contains','value':'aaaaaaaaaaaaaaaab%d'}"
                                        .formatted(i))
                        .collect(Collectors.joining(","));
        return "{'destination_id':'%s','event_id':'%s','filter_rules':{'operator':'or','rules':[%s]}}"
                .formatted(destination(person), event, rules)
                .replace('\'', '"');
    }

    @Test
    void previews_of_one_workspace_leave_ingest_and_previews_of_another_prompt() throws Exception {
        var attacker = Person.register(api, "attacker@example.com");
        var neighbour = Person.register(api, "neighbour@example.com");
        var attack =
                attacker.request(PREVIEW_PATH)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(preview(attacker)))
                        .build();
        var alone = time(200, () -> status(attack));
        String destination = destination(neighbour);
        String own = "{'destination_id':'%s','sample':{'body':'{}'}}".formatted(destination);
        String source = neighbour.post("/api/v1/sources", "{'name':'own'}").text("ingest_path");
        var isOver = new AtomicBoolean();
        var begun = new CountDownLatch(CONNECTIONS);
        var statuses = ConcurrentHashMap.<Integer>newKeySet();
        try (var threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                threads.execute(() -> {
                    begun.countDown();
                    while (!isOver.get()) {
                        statuses.add(status(attack));
                    }
                });
            }
            begun.await();
            try {
                var ingests = new ArrayList<Duration>();
                var previews = new ArrayList<Duration>();
                for (int i = 0; i < 15; i++) {
                    ingests.add(time(200, () -> api.ingest(source, "{}").status()));
                    if (i % 3 == 0) {
                        previews.add(time(200, () -> neighbour.post(PREVIEW_PATH, own).status()));
                    }
                }
                assertThat(median(ingests)).as("webhooks: " + ingests).isLessThan(MAX_MEDIAN);
                assertThat(median(previews))
                        .as("previews: " + previews)
                        .isLessThan(MAX_MEDIAN.plus(alone.multipliedBy(4)));
            } finally {
                isOver.set(true);
            }
        }
        assertThat(statuses).contains(503).isSubsetOf(200, 429, 503);
    }

    /// Sends the request, and does not look at the answer, which is large.
    private static int status(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Duration time(int expected, IntSupplier request) {
        long begin = System.nanoTime();
        int status = request.getAsInt();
        var time = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(status).isEqualTo(expected);
        return time;
    }

    private static Duration median(List<Duration> times) {
        return times.stream().sorted().toList().get(times.size() / 2);
    }
}
