package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.Api;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Receiver.Gated;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Holds that come while deliveries are in memory, on the node that was asked and on another one of
/// the same relay.
class HoldOnTwoNodesTest {

    /// A hold is in force on all nodes after this.
    private static final Duration EVERYWHERE = Duration.ofSeconds(2);

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int EVENTS = 4;

    @TempDir static Path directory;

    private static RunningSluice first;
    private static RunningSluice second;

    /// Of the first node, which is asked.
    private static Api api;

    private Receiver receiver;
    private Api.Answer source;
    private Api.Answer destination;
    private Api.Answer connection;
    private int sentBefore;
    private final CountDownLatch gate = new CountDownLatch(1);

    @BeforeAll
    static void start() {
        var clock = InstantSource.system();
        first = RunningSluice.start(directory.resolve("first"), clock, Map.of());
        second =
                RunningSluice.start(
                        directory.resolve("second"),
                        clock,
                        Map.of("SLUICE_DATABASE_URL", TestCluster.url(first.database())));
        api = first.api();
    }

    @AfterAll
    static void stop() {
        second.close();
        first.close();
    }

    @BeforeEach
    void open() {
        receiver = Receiver.start();
        source = api.source("s");
        destination = api.destination(receiver.url(), ", 'max_in_flight': 1");
        connection = api.connect(source, destination);
    }

    @AfterEach
    void shut() throws IOException {
        receiver.close();
    }

    /// What can hold a connection.
    enum Held {
        SOURCE_PAUSED {
            @Override
            void set(HoldOnTwoNodesTest test, boolean isHeld) {
                patch("sources", test.source, status(isHeld));
            }
        },
        SOURCE_IN_TRASH {
            @Override
            void set(HoldOnTwoNodesTest test, boolean isHeld) {
                String path = "/api/v1/sources/" + test.source.text("id");
                var answer = isHeld ? api.delete(path) : api.post(path + "/restore", "");
                assertThat(answer.status()).isEqualTo(isHeld ? 204 : 200);
            }
        },
        DESTINATION_PAUSED {
            @Override
            void set(HoldOnTwoNodesTest test, boolean isHeld) {
                patch("destinations", test.destination, status(isHeld));
            }
        },
        CONNECTION_DISABLED {
            @Override
            void set(HoldOnTwoNodesTest test, boolean isHeld) {
                patch("connections", test.connection, "{'enabled': " + !isHeld + "}");
            }
        };

        abstract void set(HoldOnTwoNodesTest test, boolean isHeld);

        private static String status(boolean isPaused) {
            return "{'status': '" + (isPaused ? "paused" : "active") + "'}";
        }

        private static void patch(String kind, Api.Answer of, String json) {
            assertThat(api.patch("/api/v1/" + kind + "/" + of.text("id"), json).status())
                    .isEqualTo(200);
        }
    }

    /// Into the memory of one node: the first is on the wire until the gate opens, the others wait
    /// behind it. The other node knows the connection by then: it looks for what waits there when
    /// it hears of it, and may not have heard of a hold yet.
    private List<Api.Answer> ingest(Api node) {
        awaitConfiguration(api.on(second.port()));
        receiver.will(
                new Gated(gate, Receiver.answer(200, "")), Receiver.answer(200, "from then on"));
        var events = new ArrayList<Api.Answer>();
        for (int i = 0; i < EVENTS; i++) {
            events.add(node.ingest(source.text("ingest_path"), "{}"));
        }
        assertThat(events).extracting(Api.Answer::status).containsOnly(200);
        awaitRequests(1);
        return events;
    }

    private void awaitRequests(int number) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(receiver.requests()).hasSize(sentBefore + number));
    }

    /// After the first has ended.
    private void nothingMoreIsSent() {
        gate.countDown();
        await().pollDelay(Duration.ZERO)
                .during(Duration.ofSeconds(1))
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(receiver.requests()).hasSize(sentBefore + 1));
    }

    private void allAreSent(List<Api.Answer> events) {
        for (var event : events) {
            Events.delivery(api, event, "succeeded");
        }
        assertThat(receiver.requests()).as("each once").hasSize(sentBefore + EVENTS);
    }

    @ParameterizedTest
    @EnumSource(Held.class)
    void a_hold_is_in_force_here_when_it_is_answered(Held held) {
        var events = ingest(api);
        held.set(this, true);

        nothingMoreIsSent();
        held.set(this, false);

        allAreSent(events);
    }

    @ParameterizedTest
    @EnumSource(Held.class)
    void a_hold_is_in_force_on_another_node_within_2_s(Held held) throws InterruptedException {
        var node = api.on(second.port());
        var events = ingest(node);
        held.set(this, true);
        assertThat(gate.await(EVERYWHERE.toMillis(), TimeUnit.MILLISECONDS)).isFalse();

        nothingMoreIsSent();
        held.set(this, false);

        allAreSent(events);
    }

    /// An event that it sends on shows that it knows the connection.
    private void awaitConfiguration(Api node) {
        await().atMost(PATIENCE)
                .until(() -> {
                    var event = node.ingest(source.text("ingest_path"), "{}");
                    return event.status() == 200
                            && !Events.detail(api, event).path("deliveries").isEmpty();
                });
        awaitRequests(1);
        sentBefore = 1;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void of_two_holds_the_last_one_counts(boolean isSourceLast) {
        var held =
                isSourceLast
                        ? List.of(Held.SOURCE_PAUSED, Held.DESTINATION_PAUSED)
                        : List.of(Held.CONNECTION_DISABLED, Held.SOURCE_IN_TRASH);
        var events = ingest(api);
        held.forEach(each -> each.set(this, true));

        held.getLast().set(this, false);
        nothingMoreIsSent();
        held.getFirst().set(this, false);

        allAreSent(events);
    }

    @Test
    void all_holds_at_once_lose_nothing() {
        var events = ingest(api);
        var held =
                List.of(
                        Held.CONNECTION_DISABLED,
                        Held.DESTINATION_PAUSED,
                        Held.SOURCE_PAUSED,
                        Held.SOURCE_IN_TRASH);
        held.forEach(each -> each.set(this, true));
        for (var each : held.reversed().subList(0, 3)) {
            each.set(this, false);
        }
        nothingMoreIsSent();

        held.getFirst().set(this, false);

        allAreSent(events);
    }
}
