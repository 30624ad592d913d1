package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.commit.Receipt;
import dev.sluice.engine.lanes.Backlog;
import dev.sluice.engine.lanes.LaneLoader;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.features.audit.Invariant;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.Damage;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.LogRecorder;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Stored payloads that PostgreSQL cannot read any more: their chunks are really gone.
///
/// One such payload stopped everything that waited on its node. Isolated, because the simulation
/// logs the same events.
@Isolated
class UnreadablePayloadTest {

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final LogRecorder log = LogRecorder.of(LaneLoader.class);
    private final LogRecorder readingLog = LogRecorder.of(Backlog.class);
    private final Random random = new Random(1);
    private final SourceId source = harness.given.source();
    private ConnectionId connection = newConnection("a.example");
    private final ConnectionId other = newConnection("b.example");

    private ConnectionId newConnection(String host) {
        var from = host.equals("a.example") ? source : harness.given.source();
        return harness.given.connection(from, harness.given.destination(host, 4));
    }

    @BeforeEach
    void readConfiguration() {
        harness.refreshConfiguration();
    }

    @AfterEach
    void close() {
        log.close();
        readingLog.close();
        harness.close();
    }

    private DeliveryId accept(ConnectionId to) {
        var event = harness.newId();
        byte[] body = new byte[Damage.TOASTED_BODY_BYTES]; // random, so that it is not compressed
        random.nextBytes(body);
        assertThat(harness.ingest(event, Payload.of(List.of(), body), List.of(to), false))
                .isEqualTo(Receipt.ReceiptState.STORED);
        return DeliveryId.of(event, 1);
    }

    private List<DeliveryId> accept(ConnectionId to, int deliveries) {
        var accepted = new ArrayList<DeliveryId>();
        for (int i = 0; i < deliveries; i++) {
            accepted.add(accept(to));
        }
        return accepted;
    }

    private void damage(DeliveryId delivery) {
        Damage.remove(harness.db, delivery.event(), "body");
    }

    /// Runs rounds until everything waiting has ended, with a second between two of them.
    private void roundsUntilDone() {
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.round();
                    harness.clock.advance(Duration.ofSeconds(1));
                    harness.heartbeat.run();
                    return harness.count("delivery_work") == 0;
                });
        harness.awaitIdle();
    }

    @Test
    void the_database_really_cannot_read_it() {
        var bad = accept(connection);
        damage(bad);

        assertThatThrownBy(() -> harness.db.run(tx -> body(tx, bad.event())))
                .isInstanceOf(DbException.class)
                .hasMessageContaining("missing chunk number 0");
    }

    private static void body(Tx tx, EventId event) {
        tx.query("select body from event where id = ?", row -> row.bytes("body"), event.value());
    }

    @Test
    void the_unreadable_one_ends_with_its_reason_and_all_others_are_sent() {
        var before = accept(connection, 10);
        var bad = accept(connection);
        var after = accept(connection, 10);
        var others = accept(other, 5);
        damage(bad);

        roundsUntilDone();

        assertThat(harness.stateOf(bad))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.PAYLOAD_UNREADABLE));
        for (var good : List.of(before, after, others)) {
            assertThat(good).extracting(harness::stateOf).containsOnly(DeliveryState.succeeded(1));
        }
        assertThat(harness.sender.sentTo("a.example")).hasSize(20);
        assertThat(log.values("payload.read_failed", "delivery_id"))
                .containsExactly(bad.toString());
        assertThat(log.values("payload.read_failed", "event_id"))
                .containsExactly(bad.event().toString());
        assertThat(DatabaseAuditor.check(harness.db).violationsOf(Invariant.UNREADABLE).examples())
                .singleElement()
                .asString()
                .contains(bad.toString());
    }

    @Test
    void it_is_read_twice_before_it_is_given_up() {
        var bad = accept(connection);
        damage(bad);

        harness.round();
        harness.round();

        assertThat(harness.stateOf(bad)).isEqualTo(DeliveryState.waiting(0));
        assertThat(log.count("payload.read_failed")).isZero();
        roundsUntilDone();
        assertThat(harness.stateOf(bad))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.PAYLOAD_UNREADABLE));
    }

    @Test
    void a_lane_of_nothing_but_unreadable_ones_ends_too() {
        var all = accept(connection, 12);
        Damage.removeBodies(harness.db, all.stream().map(DeliveryId::event).toList());

        roundsUntilDone();

        assertThat(all)
                .extracting(harness::stateOf)
                .containsOnly(DeliveryState.failed(0, ErrorCode.PAYLOAD_UNREADABLE));
    }

    @Test
    void an_unreadable_one_never_keeps_a_circuit_open() {
        harness.sender.alwaysAnswer("a.example", 503);
        for (int i = 0; i < 5; i++) {
            harness.accept(connection);
        }
        harness.awaitWritten(5);
        harness.circuits.run();
        var bad = accept(connection);
        harness.db.run(tx -> {
            tx.update("update delivery_work set next_at = '2001-01-01Z'");
            tx.update("update delivery_work set next_at = '2000-01-01Z' where id = ?", bad.value());
        });
        damage(bad);
        harness.sender.alwaysAnswer("a.example", 200);
        harness.clock.advance(Duration.ofMinutes(2));
        harness.heartbeat.run();

        roundsUntilDone();

        assertThat(harness.stateOf(bad))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.PAYLOAD_UNREADABLE));
        assertThat(harness.count("delivery where status = " + DeliveryStatus.SUCCEEDED.number()))
                .isEqualTo(5);
    }

    /// What is refused by a database that only refuses for now is not damaged.
    @Test
    void a_lane_whose_payloads_cannot_be_read_for_now_rests_and_is_sent_later() {
        var waiting = accept(connection, 3);
        var others = accept(other, 3);
        harness.db.run(tx ->
                tx.update("alter table event rename to elsewhere")); // undefined table: unknown
        try {
            for (int i = 0; i < 5; i++) {
                harness.round();
                harness.clock.advance(Duration.ofSeconds(1));
                harness.heartbeat.run();
            }
        } finally {
            harness.db.run(tx -> tx.update("alter table elsewhere rename to event"));
        }
        assertThat(readingLog.count("lane.read_failed")).isPositive();
        assertThat(harness.backlog.isBlockedFor(Duration.ofSeconds(3))).isTrue();
        harness.clock.advance(Duration.ofMinutes(1));
        harness.heartbeat.run();

        roundsUntilDone();

        for (var good : List.of(waiting, others)) {
            assertThat(good).extracting(harness::stateOf).containsOnly(DeliveryState.succeeded(1));
        }
        assertThat(log.count("payload.read_failed")).isZero();
        assertThat(harness.backlog.isBlockedFor(Duration.ZERO)).isFalse();
    }
}
