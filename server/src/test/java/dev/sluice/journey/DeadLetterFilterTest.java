package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.FinishedDeliveries;
import dev.sluice.testkit.FinishedDeliveries.FinishedDelivery;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Tests that each filter narrows what `dismiss`, `undismiss` and `resend` change, as it narrows
/// the list.
class DeadLetterFilterTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    @BeforeAll
    static void makePartitions() {
        new PartitionStore(db).makeAhead(Instant.now().minus(Duration.ofDays(1)));
    }

    /// A dead letter that differs from the others in every filter. Its destination is paused, so
    /// that a resend waits.
    private record DeadLetter(SourceId source, String destination, FinishedDelivery delivery) {

        static DeadLetter insert(
                Instant at, DeliveryStatus status, ErrorCode code, int responseStatus) {
            var source = api.source("s");
            var destination = api.destination("https://example.com/hook", ", 'status': 'paused'");
            var connection = UUID.fromString(api.connect(source, destination).text("id"));
            var event = Some.eventId(at);
            var delivery =
                    new FinishedDelivery(
                            DeliveryId.of(event, 1),
                            new SourceId(UUID.fromString(source.text("id"))),
                            new ConnectionId(connection),
                            status,
                            Optional.of(code),
                            Optional.of(responseStatus));
            db.run(tx ->
                    GivenRows.insertEvents(
                            tx, List.of(new GivenRows.EventRow(event, delivery.source(), 1))));
            new FinishedDeliveries(db).add(List.of(delivery));
            return new DeadLetter(delivery.source(), destination.text("id"), delivery);
        }

        EventId event() {
            return delivery.id().event();
        }

        /// Returns each filter with a value that selects this dead letter and not the other one.
        Map<String, String> filters(Instant between) {
            return Map.of(
                    "status", "['" + delivery.status().text() + "']",
                    "source_id", "'" + source + "'",
                    "connection_id", "'" + delivery.connection() + "'",
                    "destination_id", "'" + destination + "'",
                    "event_id", "'" + event() + "'",
                    "error_code", "'" + delivery.code().orElseThrow().text() + "'",
                    "response_status", String.valueOf(delivery.responseStatus().orElseThrow()),
                    "received_after", "'" + between + "'",
                    "received_before", "'" + between + "'");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "source_id",
                "connection_id",
                "destination_id",
                "event_id",
                "error_code",
                "response_status",
                "received_after",
                "received_before"
            })
    void a_filter_narrows_dismissals_and_resends(String filter) {
        clear();
        var between = Instant.now().minus(Duration.ofMinutes(10)).truncatedTo(ChronoUnit.MILLIS);
        var early =
                DeadLetter.insert(
                        between.minusSeconds(60),
                        DeliveryStatus.FAILED,
                        ErrorCode.HTTP_STATUS,
                        410);
        var late =
                DeadLetter.insert(
                        between.plusSeconds(60),
                        DeliveryStatus.EXHAUSTED,
                        ErrorCode.RESPONSE_TIMEOUT,
                        503);
        boolean wantsEarly = filter.equals("received_before");
        var wanted = wantsEarly ? early : late;
        var other = wantsEarly ? late : early;
        String body = "{'" + filter + "':" + wanted.filters(between).get(filter) + "}";

        assertThat(post("dismiss", body).path("dismissed").asInt()).isEqualTo(1);
        assertThat(dismissed()).containsExactly(wanted.event());
        post("dismiss", "{}");
        assertThat(dismissed()).hasSize(2);
        assertThat(post("undismiss", body).path("undismissed").asInt()).isEqualTo(1);
        assertThat(dismissed()).containsExactly(other.event());
        post("undismiss", "{}");
        assertThat(dismissed()).isEmpty();
        assertThat(post("resend", body).path("created").asInt()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(resent()).containsExactly(wanted.event()));
    }

    /// Removes what an earlier filter was tried with.
    private static void clear() {
        db.run(tx -> {
            tx.update("delete from dismissal");
            tx.update("delete from delivery");
            tx.update("delete from delivery_work");
        });
    }

    private static JsonNode post(String action, String body) {
        var answer = api.post("/api/v1/dlq/" + action, body);
        assertThat(answer.status()).as(answer.body()).isIn(200, 202);
        return answer.json();
    }

    private static List<EventId> dismissed() {
        return events("select delivery_id as id from dismissal");
    }

    private static List<EventId> resent() {
        return events("select id from delivery_work where trigger = 2");
    }

    private static List<EventId> events(String sql) {
        return db.call(tx -> tx.query(sql, row -> new DeliveryId(row.uuid("id")))).stream()
                .map(DeliveryId::event)
                .toList();
    }
}
