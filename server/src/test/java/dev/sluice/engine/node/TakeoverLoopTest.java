package dev.sluice.engine.node;

import static dev.sluice.engine.node.NodeFixture.OTHER_HOME;
import static dev.sluice.engine.node.NodeFixture.THIS_HOME;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.node.NodeFixture.LaneRow;
import dev.sluice.engine.node.NodeFixture.NodeRow;
import dev.sluice.engine.node.NodeFixture.WorkRow;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// What becomes of the work of nodes that died or left.
class TakeoverLoopTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    @AutoClose private final NodeFixture fixture = new NodeFixture(DATABASE);

    private final Node survivor = fixture.join(THIS_HOME);
    private final TakeoverLoop takeover = fixture.takeover(survivor);

    @Test
    void live_nodes_leave_each_other_alone() {
        var other = fixture.join(OTHER_HOME);
        var work = fixture.owned(other);
        var lane = fixture.leased(other);

        for (int round = 0; round < 10; round++) {
            fixture.live(survivor, takeover, Duration.ZERO);
            fixture.heartbeat(other).run();
        }

        assertThat(fixture.work(work)).isEqualTo(new WorkRow(Optional.of(other.epoch()), false, 0));
        assertThat(fixture.lane(lane)).isEqualTo(new LaneRow(Optional.of(other.epoch()), false));
        assertThat(fixture.nodes()).hasSize(2);
    }

    @Test
    void what_a_silent_node_had_waits_for_others_after_fifteen_seconds() {
        var dead = fixture.join(OTHER_HOME);
        var work = fixture.owned(dead);
        var lane = fixture.leased(dead);
        var ours = fixture.owned(survivor);

        fixture.live(survivor, takeover, Node.LEASE_DURATION.minus(Heartbeat.INTERVAL));
        assertThat(fixture.nodes()).contains(NodeRow.live(dead));
        fixture.live(survivor, takeover, Duration.ZERO);

        assertThat(fixture.work(work)).isEqualTo(WorkRow.DUE_NOW);
        assertThat(fixture.lane(lane)).isEqualTo(LaneRow.AWAKE);
        assertThat(fixture.work(ours))
                .isEqualTo(new WorkRow(Optional.of(survivor.epoch()), false, 0));
        assertThat(fixture.nodes()).containsExactly(NodeRow.live(survivor));
        long awake =
                fixture.db.call(tx ->
                        tx.single(
                                "select count(*) as n from lane where wake_at <= ?",
                                row -> row.number("n"),
                                fixture.clock.instant()));
        assertThat(awake).as("its lane, and the lane of its work").isEqualTo(2);
    }

    @Test
    void what_a_killed_process_had_is_taken_over_by_the_next_in_its_home_at_once() {
        var killed = fixture.join(OTHER_HOME);
        var work = fixture.owned(killed);
        var lane = fixture.leased(killed);

        var restarted = fixture.join(OTHER_HOME);
        fixture.takeover(restarted).run();

        assertThat(fixture.work(work)).isEqualTo(WorkRow.DUE_NOW);
        assertThat(fixture.lane(lane)).isEqualTo(LaneRow.AWAKE);
        assertThat(fixture.nodes())
                .containsExactly(NodeRow.live(survivor), NodeRow.live(restarted));
    }

    @Test
    void a_node_whose_work_cannot_be_read_keeps_no_other_from_being_taken_over() {
        var damaged = fixture.join(OTHER_HOME);
        var unreadable = fixture.owned(damaged);
        damaged.leave();
        var healthy = fixture.join(new UUID(3, 3));
        var work = fixture.owned(healthy);
        healthy.leave();
        fixture.db.run(tx -> {
            tx.update(
                    """
                    create function be_damaged() returns trigger language plpgsql as $$
                    begin
                      raise exception 'invalid page' using errcode = 'XX001';
                    end $$
                    """);
            tx.update(
                    "create trigger damaged before update on delivery_work for each row when"
                            + " (old.owner = "
                            + damaged.epoch()
                            + ") execute function be_damaged()");
        });

        assertThatThrownBy(takeover::run).isInstanceOf(DbException.class);
        assertThat(fixture.work(work)).isEqualTo(WorkRow.DUE_NOW);
        fixture.db.run(tx -> tx.update("drop function be_damaged cascade"));

        takeover.run();
        assertThat(fixture.work(unreadable)).isEqualTo(WorkRow.DUE_NOW);
    }

    @Test
    void a_node_that_left_is_taken_over_without_waiting_for_its_lease() {
        var leaving = fixture.join(OTHER_HOME);
        var work = fixture.owned(leaving);
        leaving.leave();
        assertThat(fixture.nodes()).contains(new NodeRow(leaving.epoch(), "left"));

        takeover.run();

        assertThat(fixture.work(work)).isEqualTo(WorkRow.DUE_NOW);
        assertThat(fixture.nodes()).containsExactly(NodeRow.live(survivor));
    }

    /// The database's clock leaps, so all leases have run out by it.
    @Test
    void a_leap_of_the_clock_ends_no_live_nodes_lease() {
        var other = fixture.join(OTHER_HOME);
        takeover.run();
        fixture.endLease(other);

        takeover.run();
        fixture.heartbeat(other).run();
        fixture.live(survivor, takeover, Duration.ZERO);

        assertThat(fixture.nodes()).containsExactly(NodeRow.live(survivor), NodeRow.live(other));
    }

    @Test
    void a_clock_that_was_set_back_keeps_no_dead_nodes_lease_alive() {
        var dead = fixture.join(OTHER_HOME);
        fixture.db.run(tx ->
                tx.update(
                        "update node set lease_until = now() + interval '10 days' where epoch = ?",
                        dead.epoch()));

        fixture.live(survivor, takeover, Node.LEASE_DURATION);

        assertThat(fixture.nodes()).containsExactly(NodeRow.live(survivor));
    }

    /// It could not look, and neither could the other renew its lease.
    @Test
    void after_an_outage_of_the_database_every_node_has_its_fifteen_seconds_again() {
        var other = fixture.join(OTHER_HOME);
        takeover.run();
        fixture.pass(Duration.ofMinutes(1));

        takeover.run();

        assertThat(fixture.nodes()).contains(NodeRow.live(other));
    }

    @Test
    void many_rows_are_released_in_transactions_of_bounded_size() {
        var dead = fixture.join(OTHER_HOME);
        var rows =
                IntStream.range(0, 4_500)
                        .mapToObj(_ ->
                                GivenRows.WorkRow.owned(
                                        DeliveryId.of(Some.eventId(), 1),
                                        Some.sourceId(),
                                        new ConnectionId(Some.id()),
                                        dead.epoch()))
                        .toList();
        fixture.db.run(tx -> GivenRows.insertWork(tx, rows));
        dead.leave();

        takeover.run();

        long transactions =
                fixture.db.call(tx ->
                        tx.single(
                                """
                                select count(distinct xmin::text) as n
                                  from delivery_work
                                 where owner is null
                                """,
                                row -> row.number("n")));
        assertThat(transactions).isEqualTo(3);
        assertThat(fixture.nodes()).containsExactly(NodeRow.live(survivor));
    }

    /// A node that slept through its own takeover may commit once more under its old epoch.
    @Test
    void what_was_written_for_a_node_that_is_forgotten_is_found() {
        long forgotten = 4_000_000;
        var orphan = DeliveryId.of(Some.eventId(), 1);
        var lane = new Lane(new ConnectionId(Some.id()), Trigger.INGEST, Some.sourceId());
        fixture.db.run(tx -> {
            GivenRows.insertWork(
                    tx,
                    List.of(
                            GivenRows.WorkRow.owned(
                                    orphan, lane.source(), lane.connection(), forgotten)));
            GivenRows.insertLane(tx, lane, Optional.empty(), Optional.of(forgotten));
        });

        takeover.run();

        assertThat(fixture.work(orphan)).isEqualTo(WorkRow.DUE_NOW);
        assertThat(fixture.lane(lane.connection())).isEqualTo(LaneRow.AWAKE);
    }

    /// The transaction belongs to a process that froze inside it and stays frozen.
    @Test
    void a_transaction_that_stands_still_lets_go_of_its_rows_within_seconds() throws Exception {
        var frozen = fixture.join(OTHER_HOME);
        var work = fixture.owned(frozen);
        var locked = new CountDownLatch(1);
        var awake = new CountDownLatch(1);
        var failure = new CompletableFuture<DbException>();
        var connection = new DedicatedConnection(DATABASE, "results");
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        connection.call(tx -> {
                            tx.update(
                                    "update delivery_work set attempts = 1 where id = ?",
                                    work.value());
                            locked.countDown();
                            return uninterrupted(awake);
                        });
                    } catch (DbException e) {
                        failure.complete(e);
                    }
                });
        assertThat(locked.await(10, TimeUnit.SECONDS)).isTrue();
        frozen.leave();

        await().until(() -> {
            takeover.run();
            return fixture.work(work).equals(WorkRow.DUE_NOW);
        });
        awake.countDown();
        assertThat(failure.get(10, TimeUnit.SECONDS).isConnectionLost()).isTrue();
        connection.close();
    }

    private static boolean uninterrupted(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void a_locked_row_of_a_dead_node_delays_its_takeover_and_no_other() {
        var dead = fixture.join(OTHER_HOME);
        var alsoDead = fixture.join(OTHER_HOME);
        var work = fixture.owned(dead);
        var free = fixture.owned(alsoDead);
        alsoDead.leave();
        fixture.db.run(tx -> {
            tx.update("update delivery_work set attempts = 1 where id = ?", work.value());
            takeover.run();
            assertThat(fixture.work(free)).isEqualTo(WorkRow.DUE_NOW);
        });
        assertThat(fixture.nodes()).contains(new NodeRow(dead.epoch(), "dead"));

        takeover.run();

        assertThat(fixture.work(work)).isEqualTo(WorkRow.DUE_NOW);
        assertThat(fixture.nodes()).containsExactly(NodeRow.live(survivor));
    }

    @Test
    void a_takeover_that_broke_off_is_finished_by_the_next() {
        var dead = fixture.join(OTHER_HOME);
        var work = fixture.owned(dead);
        var lane = fixture.leased(dead);
        fixture.db.run(
                tx -> tx.update("update node set state = 'dead' where epoch = ?", dead.epoch()));
        fixture.db.run(tx ->
                tx.update(
                        "update lane set owner = null, wake_at = 'infinity' where owner = ?",
                        dead.epoch()));

        takeover.run();
        takeover.run();

        assertThat(fixture.work(work)).isEqualTo(WorkRow.DUE_NOW);
        assertThat(fixture.lane(lane))
                .as("left to the sweep")
                .isEqualTo(new LaneRow(Optional.empty(), false));
        assertThat(fixture.nodes()).containsExactly(NodeRow.live(survivor));
    }
}
