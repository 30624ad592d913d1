package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Receiver.GatedBehaviour;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Tests holds set while deliveries are in memory: on a single node, and on another node than the
/// one that receives the request.
class HoldInMemoryTest {

    /// The time within which a hold must take effect on all nodes.
    private static final Duration PROPAGATION_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);
    private static final int EVENT_COUNT = 4;

    /// The node that sets the holds. It runs alone except where a test starts another one:
    /// deliveries that a hold releases from memory may be sent by a node that does not know the
    /// hold yet.
    @AutoClose private static final RunningSluice sluice = RunningSluice.start();

    private static final ApiClient api = sluice.api();

    private Receiver receiver;
    private ApiClient.ApiResponse source;
    private ApiClient.ApiResponse destination;
    private ApiClient.ApiResponse connection;
    private int sentBefore;
    private final CountDownLatch gate = new CountDownLatch(1);

    @BeforeEach
    void open() {
        receiver = Receiver.start();
        source = api.source("s");
        destination = api.destination(receiver.url(), ", 'max_in_flight': 1");
        connection = api.connect(source, destination);
    }

    @AfterEach
    void close() throws IOException {
        receiver.close();
    }

    /// A reason to hold a connection, with a way to set and clear it.
    enum HoldKind {
        SOURCE_PAUSED {
            @Override
            void set(HoldInMemoryTest test, boolean isHeld) {
                patch("sources", test.source, status(isHeld));
            }
        },
        SOURCE_IN_TRASH {
            @Override
            void set(HoldInMemoryTest test, boolean isHeld) {
                String path = "/api/v1/sources/" + test.source.text("id");
                var answer = isHeld ? api.delete(path) : api.post(path + "/restore", "");
                assertThat(answer.status()).isEqualTo(isHeld ? 204 : 200);
            }
        },
        DESTINATION_PAUSED {
            @Override
            void set(HoldInMemoryTest test, boolean isHeld) {
                patch("destinations", test.destination, status(isHeld));
            }
        },
        CONNECTION_DISABLED {
            @Override
            void set(HoldInMemoryTest test, boolean isHeld) {
                patch("connections", test.connection, "{'enabled': " + !isHeld + "}");
            }
        };

        abstract void set(HoldInMemoryTest test, boolean isHeld);

        private static String status(boolean isPaused) {
            return "{'status': '" + (isPaused ? "paused" : "active") + "'}";
        }

        private static void patch(String kind, ApiClient.ApiResponse of, String json) {
            assertThat(api.patch("/api/v1/" + kind + "/" + of.text("id"), json).status())
                    .isEqualTo(200);
        }
    }

    /// Ingests events that stay in the memory of one node. The first is in flight until the gate
    /// opens; the others wait behind it.
    private List<ApiClient.ApiResponse> ingest(ApiClient node) {
        receiver.willDo(
                new GatedBehaviour(gate, Receiver.answer(200, "")),
                Receiver.answer(200, "from then on"));
        var events = new ArrayList<ApiClient.ApiResponse>();
        for (int i = 0; i < EVENT_COUNT; i++) {
            events.add(node.ingest(source.text("ingest_path"), "{}"));
        }
        assertThat(events).extracting(ApiClient.ApiResponse::status).containsOnly(200);
        awaitRequests(1);
        return events;
    }

    private void awaitRequests(int number) {
        await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(sentBefore + number));
    }

    /// Ends the first delivery and checks that no other is sent.
    private void nothingMoreIsSent() {
        gate.countDown();
        await().pollDelay(Duration.ZERO)
                .during(Duration.ofSeconds(1))
                .atMost(AWAIT_TIMEOUT)
                .untilAsserted(() -> assertThat(receiver.requests()).hasSize(sentBefore + 1));
    }

    private void allAreSent(List<ApiClient.ApiResponse> events) {
        for (var event : events) {
            EventReader.delivery(api, event, "succeeded");
        }
        assertThat(receiver.requests()).as("each once").hasSize(sentBefore + EVENT_COUNT);
    }

    @ParameterizedTest
    @EnumSource(HoldKind.class)
    void a_hold_is_in_force_here_when_it_is_answered(HoldKind held) {
        var events = ingest(api);
        held.set(this, true);

        nothingMoreIsSent();
        held.set(this, false);

        allAreSent(events);
    }

    @ParameterizedTest
    @EnumSource(HoldKind.class)
    void a_hold_is_in_force_on_another_node_within_2_s(HoldKind held) throws InterruptedException {
        try (var other = sluice.startBeside()) {
            var node = api.onPort(other.port());
            awaitConfiguration(node);
            var events = ingest(node);
            held.set(this, true);
            assertThat(gate.await(PROPAGATION_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();

            nothingMoreIsSent();
            held.set(this, false);

            allAreSent(events);
        }
    }

    /// Waits until the node knows the connection: an event it ingests then has a delivery.
    private void awaitConfiguration(ApiClient node) {
        await().until(() -> {
            var event = node.ingest(source.text("ingest_path"), "{}");
            return event.status() == 200
                    && !EventReader.detail(api, event).path("deliveries").isEmpty();
        });
        awaitRequests(1);
        sentBefore = 1;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void of_two_holds_the_last_one_counts(boolean isSourceLast) {
        var held =
                isSourceLast
                        ? List.of(HoldKind.SOURCE_PAUSED, HoldKind.DESTINATION_PAUSED)
                        : List.of(HoldKind.CONNECTION_DISABLED, HoldKind.SOURCE_IN_TRASH);
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
                        HoldKind.CONNECTION_DISABLED,
                        HoldKind.DESTINATION_PAUSED,
                        HoldKind.SOURCE_PAUSED,
                        HoldKind.SOURCE_IN_TRASH);
        held.forEach(each -> each.set(this, true));
        for (var each : held.reversed().subList(0, 3)) {
            each.set(this, false);
        }
        nothingMoreIsSent();

        held.getFirst().set(this, false);

        allAreSent(events);
    }
}
