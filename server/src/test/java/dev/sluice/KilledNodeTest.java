package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Receiver.ReceivedRequest;
import dev.sluice.testkit.RelayProcess;
import dev.sluice.testkit.SseClient;
import dev.sluice.testkit.StatsRecount;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Tests what streams, statistics and alerts tell people when servers, in processes of their own,
/// are killed.
class KilledNodeTest {

    private static final int WEBHOOKS_PER_ROUND = 60;
    private static final int FAILURES_BEFORE_KILL = 3;

    @TempDir private Path directory;

    @Test
    void streams_and_statistics_have_each_event_once_although_a_node_is_killed() throws Exception {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database);
                var target = Receiver.start();
                var refusing = Receiver.start();
                var down = Receiver.start();
                var other = RelayProcess.start(directory.resolve("other"), database)) {
            refusing.willAnswer(400);
            down.willAnswer(503);
            var node = RelayProcess.start(directory.resolve("node"), database);
            var source = node.api().source("s");
            node.api().connect(source, node.api().destination(target.url(), ""));
            node.api().connect(source, node.api().destination(refusing.url(), ""));
            connectFiltered(node.api(), source, node.api().destination(target.url(), ""));
            // Few events, so that the circuit stays closed and their retries end soon.
            var few = node.api().source("few");
            node.api()
                    .connect(
                            few,
                            node.api()
                                    .destination(
                                            down.url(),
                                            ", 'retry_policy': {'intervals_seconds': [10]}"));
            String ingest = source.text("ingest_path");
            await().until(() -> other.api().get(ingest).status() == 200);
            String path = "/api/v1/sources/" + source.text("id") + "/tail";
            var stored = new ArrayList<String>();
            try (var killed = open(node, path);
                    var untouched = open(other, path)) {
                for (int round = 1; round <= 2; round++) {
                    var victim = node;
                    assertThat(tryIngest(victim, few.text("ingest_path"))).isPresent();
                    var killer = Thread.ofVirtual().unstarted(victim::kill);
                    for (int i = 0; i < WEBHOOKS_PER_ROUND; i++) {
                        if (i == WEBHOOKS_PER_ROUND / 2) {
                            killer.start();
                        }
                        tryIngest(i % 2 == 0 ? victim : other, ingest).ifPresent(stored::add);
                    }
                    killer.join();
                    node = victim.startAgain();
                    tryIngest(node, ingest).ifPresent(stored::add);
                }

                for (var client : List.of(killed, untouched)) {
                    await().until(() -> client.eventIds().containsAll(stored));
                    assertThat(client.eventIds()).doesNotHaveDuplicates();
                    assertThat(client.messages("gap")).isEmpty();
                }
                assertThat(killed.faults()).isGreaterThanOrEqualTo(2);
                assertThat(stored).hasSizeGreaterThan(WEBHOOKS_PER_ROUND);

                await().until(() -> count(db, "delivery_work") == 0);
                await().untilAsserted(() -> assertStatistics(other.api(), db));
                assertThat(StatsRecount.total(StatsRecount.byHour(db, "true")))
                        .containsKeys("succeeded", "failed", "exhausted", "filtered");
            } finally {
                node.close();
            }
        }
    }

    private static void connectFiltered(
            ApiClient api, ApiClient.ApiResponse source, ApiClient.ApiResponse destination) {
        var connection = api.connect(source, destination);
        var changed =
                api.patch(
                        "/api/v1/connections/" + connection.text("id"),
                        """
                        {'filter_rules': {'operator': 'and', 'rules':
                           [{'path': 'body.wanted', 'op': 'eq', 'value': true}]}}
                        """);
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    }

    /// Compares totals, buckets and sources with the rows.
    private static void assertStatistics(ApiClient api, Db db) {
        var expected = StatsRecount.byHour(db, "true");
        String range =
                "?received_after="
                        + Instant.now().minus(Duration.ofHours(3))
                        + "&received_before="
                        + Instant.now().plus(Duration.ofHours(1));
        var overview = api.get("/api/v1/stats/overview" + range).json();
        assertThat(StatsRecount.buckets(overview)).isEqualTo(expected);
        assertThat(StatsRecount.counts(overview.path("totals")))
                .isEqualTo(StatsRecount.total(expected));
        var items = api.get("/api/v1/stats/by-source" + range).json().path("items");
        assertThat(items).hasSize(2);
        for (var item : items) {
            String source = item.path("source_id").asString();
            assertThat(StatsRecount.counts(item))
                    .isEqualTo(
                            StatsRecount.total(
                                    StatsRecount.byHour(db, "source_id = '" + source + "'")));
        }
    }

    private static SseClient open(RelayProcess relay, String path) {
        var client = SseClient.open(relay.port(), path, RelayProcess.ADMIN_API_KEY);
        client.awaitReady();
        return client;
    }

    /// Returns the event's id, or empty if no answer said that it is stored.
    private static Optional<String> tryIngest(RelayProcess relay, String ingest) {
        try {
            var answer = relay.api().ingest(ingest, "{}");
            return answer.status() == 200
                    ? Optional.of(answer.text("request_id"))
                    : Optional.empty();
        } catch (UncheckedIOException killed) {
            return Optional.empty();
        }
    }

    @Nightly
    @Test
    void the_streams_of_a_killed_node_give_their_places_back() {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database);
                var other = RelayProcess.start(directory.resolve("other"), database)) {
            db.run(tx -> {
                tx.update("update config_version set version = version + 1");
                tx.update(
                        """
                        update workspace
                           set plan = 'free', version = (select version from config_version)
                        """);
            });
            String path = "/api/v1/stream";
            try (var node = RelayProcess.start(directory.resolve("node"), database);
                    var one = open(node, path);
                    var two = open(node, path)) {
                await().until(() -> isFull(other.api())); // once it knows the plan
                assertThat(other.api().get(path).status()).isEqualTo(429);
                node.kill();
                try (var moved = open(other, path);
                        var alsoMoved = open(other, path)) {
                    assertThat(moved.messages("bye")).isEmpty();
                    assertThat(alsoMoved.messages("bye")).isEmpty();
                    assertThat(one.faults() + two.faults()).isPositive();
                }
            }
        }
    }

    private static boolean isFull(ApiClient api) {
        var streams = api.get("/api/v1/usage").json().path("concurrent_streams");
        return streams.path("used").asInt() >= streams.path("limit").asInt(Integer.MAX_VALUE);
    }

    @Nightly
    @Test
    void a_killed_node_loses_no_alert_and_repeats_only_the_one_that_was_being_sent()
            throws IOException {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database);
                var target = Receiver.start();
                var webhook = Receiver.start()) {
            target.willAnswer(400);
            webhook.willDo(
                    new Receiver.ScriptedResponse("", Receiver.ConnectionAction.STALL),
                    Receiver.answer(200, ""));
            try (var relay = RelayProcess.start(directory, database)) {
                var channel =
                        relay.api()
                                .post(
                                        "/api/v1/alert-configs",
                                        "{'channel': 'webhook', 'config': {'url': '%s'}}"
                                                .formatted(webhook.url()));
                assertThat(channel.status()).isEqualTo(201);
                fail(relay.api(), target);
                await().until(() -> webhook.requests().size() == 1);
                for (int i = 0; i < FAILURES_BEFORE_KILL; i++) {
                    fail(relay.api(), target);
                }
                relay.kill();
            }

            try (var _ = RelayProcess.start(directory, database)) {
                // the claim of the node that died would last for minutes
                db.run(tx -> tx.update("update alert_message set try_at = now()"));
                await().until(() ->
                        webhook.requests().size() >= FAILURES_BEFORE_KILL + 2
                                && count(db, "alert_message") == 0);
            }
            var bodies = webhook.requests().stream().map(ReceivedRequest::body).toList();
            assertThat(bodies).hasSize(FAILURES_BEFORE_KILL + 2);
            assertThat(bodies.stream().distinct()).hasSize(FAILURES_BEFORE_KILL + 1);
            assertThat(bodies.stream().filter(bodies.getFirst()::equals)).hasSize(2);
            assertThat(bodies.stream().distinct().mapToLong(KilledNodeTest::failed).sum())
                    .isEqualTo(count(db, "delivery"));
        }
    }

    /// Makes a delivery to a destination of its own fail, and waits until that is stored.
    private static void fail(ApiClient api, Receiver target) {
        var source = api.source("s");
        api.connect(source, api.destination(target.url(), ""));
        var event = api.ingest(source.text("ingest_path"), "{}").text("request_id");
        await().until(() ->
                api.get("/api/v1/events/" + event)
                        .json()
                        .path("deliveries")
                        .path(0)
                        .path("status")
                        .asString("")
                        .equals("failed"));
    }

    /// Returns how many failed deliveries an alert reports.
    private static long failed(String alert) {
        return JsonMapper.builder().build().readTree(alert).path("failed").asLong();
    }

    private static long count(Db db, String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }
}
