package dev.sluice.relay.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Line;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

class NodeTest {

    private static final UUID HERE = new UUID(1, 1);
    private static final UUID THERE = new UUID(2, 2);

    private static final Database DATABASE = TestCluster.newDatabase();

    private final Db db = TestCluster.open(DATABASE);
    private final ManualClock clock = new ManualClock(Some.NOON);

    @BeforeEach
    void empty() {
        Given.nothing(db);
    }

    @AfterEach
    void close() {
        db.close();
    }

    private Node join(UUID home) {
        return Node.join(db, home, clock);
    }

    /// The monotonic clock of a node that is told the time by the test.
    private final AtomicLong nanos = new AtomicLong();

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private List<String> nodes() {
        return db.call(tx ->
                tx.query(
                        "select epoch || ' ' || state as node from node order by epoch",
                        row -> row.text("node")));
    }

    /// Its heartbeats stop, and its time passes.
    private void loseContact(Node node) {
        db.run(tx ->
                tx.update(
                        "update node set lease_until = now() - interval '1 second' where epoch = ?",
                        node.epoch()));
    }

    private UUID owned(Node node) {
        var id = Some.id();
        db.run(tx ->
                tx.update(
                        """
                        insert into delivery_work (id, source_id, connection_id, owner, trigger)
                        values (?, ?, ?, ?, 1)
                        """,
                        id,
                        Some.id(),
                        Some.id(),
                        node.epoch()));
        return id;
    }

    private UUID leased(Node node) {
        var connection = Some.id();
        db.run(tx ->
                tx.update(
                        """
                        insert into lane (connection_id, trigger, source_id, wake_at, owner)
                        values (?, 1, ?, 'infinity', ?)
                        """,
                        connection,
                        Some.id(),
                        node.epoch()));
        return connection;
    }

    private String work(UUID id) {
        return db.call(tx ->
                tx.single(
                        """
                        select coalesce(owner::text, 'nobody') || ' ' || coalesce(next_at = ?, false)
                                 || ' ' || recoveries as work
                          from delivery_work
                         where id = ?
                        """,
                        row -> row.text("work"),
                        clock.instant(),
                        id));
    }

    private String lane(UUID connection) {
        return db.call(tx ->
                tx.single(
                        """
                        select coalesce(owner::text, 'nobody') || ' ' || (wake_at <= ?) as lane
                          from lane
                         where connection_id = ?
                        """,
                        row -> row.text("lane"),
                        clock.instant(),
                        connection));
    }

    @Test
    void each_start_has_an_epoch_of_its_own() {
        var one = join(HERE);
        var other = join(THERE);

        assertThat(one.epoch()).isNotEqualTo(other.epoch());
        assertThat(one.mayStart()).isTrue();
        assertThat(other.mayStart()).isTrue();
        assertThat(nodes()).containsExactly(one.epoch() + " live", other.epoch() + " live");
    }

    @Test
    void a_heartbeat_prolongs_the_lease() {
        var node = join(HERE);
        loseContact(node);

        node.run();

        long seconds =
                db.call(tx ->
                        tx.single(
                                "select extract(epoch from lease_until - now())::bigint as s from"
                                        + " node",
                                row -> row.number("s")));
        assertThat(seconds).isBetween(13L, 15L);
        assertThat(node.mayStart()).isTrue();
    }

    @Test
    void live_nodes_leave_each_other_alone() {
        var one = join(HERE);
        var other = join(THERE);
        var work = owned(other);
        var lane = leased(other);

        one.run();

        assertThat(work(work)).isEqualTo(other.epoch() + " false 0");
        assertThat(lane(lane)).isEqualTo(other.epoch() + " false");
        assertThat(nodes()).hasSize(2);
    }

    @Test
    void what_a_dead_node_had_waits_for_others_at_once() {
        var survivor = join(HERE);
        var dead = join(THERE);
        var work = owned(dead);
        var lane = leased(dead);
        var ours = owned(survivor);
        loseContact(dead);

        survivor.run();

        assertThat(work(work)).isEqualTo("nobody true 0");
        assertThat(lane(lane)).isEqualTo("nobody true");
        assertThat(work(ours)).isEqualTo(survivor.epoch() + " false 0");
        assertThat(nodes()).containsExactly(survivor.epoch() + " live");
        long awake =
                db.call(tx ->
                        tx.single(
                                "select count(*) as n from lane where wake_at <= ?",
                                row -> row.number("n"),
                                clock.instant()));
        assertThat(awake).as("its lane, and the lane of its work").isEqualTo(2);
    }

    @Test
    void a_restart_in_the_same_data_directory_takes_over_at_once() {
        var killed = join(HERE);
        var work = owned(killed);
        var lane = leased(killed);

        var restarted = join(HERE);

        assertThat(work(work)).isEqualTo("nobody true 0");
        assertThat(lane(lane)).isEqualTo("nobody true");
        assertThat(nodes()).containsExactly(restarted.epoch() + " live");
    }

    @Test
    void a_node_that_left_is_taken_over_without_waiting_for_its_lease() {
        var survivor = join(HERE);
        var leaving = join(THERE);
        var work = owned(leaving);
        leaving.leave();
        assertThat(nodes()).contains(leaving.epoch() + " left");

        survivor.run();

        assertThat(work(work)).isEqualTo("nobody true 0");
        assertThat(nodes()).containsExactly(survivor.epoch() + " live");
    }

    @Test
    void a_node_that_was_declared_dead_starts_nothing_until_it_lives_under_a_new_epoch() {
        var node = join(HERE);
        var other = join(THERE);
        long before = node.epoch();
        var work = owned(node);
        var seen = new ArrayList<String>();
        node.onFenced(() ->
                seen.add(node.epoch() == before ? "old epoch " + node.mayStart() : "new epoch"));
        loseContact(node);
        other.run();
        assertThat(work(work)).isEqualTo("nobody true 0");

        node.run();

        assertThat(seen).containsExactly("old epoch false");
        assertThat(node.epoch()).isGreaterThan(other.epoch());
        assertThat(node.mayStart()).isTrue();
        assertThat(nodes()).containsExactly(other.epoch() + " live", node.epoch() + " live");

        node.run();
        assertThat(seen).hasSize(1);
    }

    @Test
    void a_node_that_hears_nothing_of_the_database_starts_nothing_after_ten_seconds() {
        var node = Node.join(db, HERE, clock, nanos::get);
        pass(Duration.ofMillis(9_999));
        assertThat(node.mayStart()).isTrue();

        pass(Duration.ofMillis(1));
        assertThat(node.mayStart()).isFalse();
        assertThat(node.mayStart(node.epoch())).isFalse();

        node.run();
        assertThat(node.mayStart(node.epoch())).isTrue();
    }

    @Test
    void what_a_node_had_before_it_was_declared_dead_is_not_its_own_when_it_lives_again() {
        var node = Node.join(db, HERE, clock, nanos::get);
        long before = node.epoch();
        loseContact(node);
        join(THERE).run();

        node.run();

        assertThat(node.mayStart()).isTrue();
        assertThat(node.mayStart(before)).isFalse();
        assertThat(node.mayStart(node.epoch())).isTrue();
    }

    /// Of a process that froze in a transaction, and will sleep for long.
    @Test
    void a_transaction_that_stands_still_lets_go_of_its_rows_within_seconds() throws Exception {
        var survivor = join(HERE);
        var frozen = join(THERE);
        var work = owned(frozen);
        var locked = new CountDownLatch(1);
        var awake = new CountDownLatch(1);
        var failure = new CompletableFuture<DbException>();
        var line = new Line(DATABASE, "results");
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        line.call(tx -> {
                            tx.update("update delivery_work set attempts = 1 where id = ?", work);
                            locked.countDown();
                            return uninterrupted(awake);
                        });
                    } catch (DbException e) {
                        failure.complete(e);
                    }
                });
        assertThat(locked.await(10, TimeUnit.SECONDS)).isTrue();
        loseContact(frozen);

        await().atMost(Duration.ofSeconds(30))
                .until(() -> {
                    survivor.run();
                    return work(work).equals("nobody true 0");
                });
        awake.countDown();
        assertThat(failure.get(10, TimeUnit.SECONDS).isConnectionLost()).isTrue();
        line.close();
    }

    @Test
    void a_locked_row_of_a_dead_node_keeps_no_heartbeat_waiting() {
        var survivor = Node.join(db, HERE, clock, nanos::get);
        var dead = join(THERE);
        var work = owned(dead);
        loseContact(dead);
        db.run(tx -> {
            tx.update("update delivery_work set attempts = 1 where id = ?", work);
            for (int round = 0; round < 3; round++) {
                long start = System.nanoTime();
                survivor.run();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Node.HEARTBEAT);
                pass(Node.HEARTBEAT);
            }
        });
        assertThat(survivor.mayStart()).isTrue();
        assertThat(nodes()).contains(dead.epoch() + " dead");

        survivor.run();

        assertThat(work(work)).isEqualTo("nobody true 0");
        assertThat(nodes()).containsExactly(survivor.epoch() + " live");
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
    void a_takeover_that_broke_off_is_finished_by_the_next() {
        var survivor = join(HERE);
        var dead = join(THERE);
        var work = owned(dead);
        var lane = leased(dead);
        db.run(tx -> tx.update("update node set state = 'dead' where epoch = ?", dead.epoch()));
        db.run(tx ->
                tx.update(
                        "update lane set owner = null, wake_at = 'infinity' where owner = ?",
                        dead.epoch()));

        survivor.run();
        survivor.run();

        assertThat(work(work)).isEqualTo("nobody true 0");
        assertThat(lane(lane)).as("left to the sweep").isEqualTo("nobody false");
        assertThat(nodes()).containsExactly(survivor.epoch() + " live");
    }
}
