package dev.sluice.engine.node;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// Nodes on one database, with clocks that the test moves, and the rows of what they own.
final class NodeFixture implements AutoCloseable {

    static final UUID THIS_HOME = new UUID(1, 1);
    static final UUID OTHER_HOME = new UUID(2, 2);

    final Db db;
    final ManualClock clock = new ManualClock(Some.NOON);

    private final AtomicLong nanos = new AtomicLong();

    NodeFixture(Database database) {
        db = TestPostgres.open(database);
        Given.clearTables(db);
    }

    Node join(UUID home) {
        return Node.join(db, home, nanos::get);
    }

    /// The node's heartbeat; nothing follows if it was declared dead.
    Heartbeat heartbeat(Node node) {
        return new Heartbeat(node, () -> {});
    }

    TakeoverLoop takeover(Node node) {
        return new TakeoverLoop(db, node, clock, new Wake(), nanos::get);
    }

    /// Moves the monotonic clock.
    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /// Runs rounds of a node's two loops, one for each interval, for this long.
    void live(Node node, TakeoverLoop takeover, Duration time) {
        var heartbeat = heartbeat(node);
        for (long left = time.dividedBy(Heartbeat.INTERVAL); left >= 0; left--) {
            heartbeat.run();
            takeover.run();
            pass(Heartbeat.INTERVAL);
        }
    }

    record NodeRow(long epoch, String state) {

        static NodeRow live(Node node) {
            return new NodeRow(node.epoch(), "live");
        }
    }

    List<NodeRow> nodes() {
        return db.call(tx ->
                tx.query(
                        "select epoch, state from node order by epoch",
                        row -> new NodeRow(row.number("epoch"), row.text("state"))));
    }

    /// Ends the node's lease by the database's clock, as if that had leapt forward.
    void endLease(Node node) {
        db.run(tx ->
                tx.update(
                        "update node set lease_until = now() - interval '1 second' where epoch = ?",
                        node.epoch()));
    }

    DeliveryId owned(Node node) {
        var id = DeliveryId.of(Some.eventId(), 1);
        var connection = new ConnectionId(Some.id());
        var row = GivenRows.WorkRow.owned(id, Some.sourceId(), connection, node.epoch());
        db.run(tx -> GivenRows.insertWork(tx, List.of(row)));
        return id;
    }

    ConnectionId leased(Node node) {
        var lane = new Lane(new ConnectionId(Some.id()), Trigger.INGEST, Some.sourceId());
        db.run(tx -> GivenRows.insertLane(tx, lane, Optional.empty(), Optional.of(node.epoch())));
        return lane.connection();
    }

    record WorkRow(Optional<Long> owner, boolean isDueNow, int recoveries) {

        static final WorkRow DUE_NOW = new WorkRow(Optional.empty(), true, 0);
    }

    WorkRow work(DeliveryId id) {
        return db.call(tx ->
                tx.single(
                        """
                        select owner, coalesce(next_at = ?, false) as is_due_now, recoveries
                          from delivery_work
                         where id = ?
                        """,
                        row ->
                                new WorkRow(
                                        owner(row),
                                        row.bool("is_due_now"),
                                        row.integer("recoveries")),
                        clock.instant(),
                        id.value()));
    }

    record LaneRow(Optional<Long> owner, boolean isAwake) {

        static final LaneRow AWAKE = new LaneRow(Optional.empty(), true);
    }

    LaneRow lane(ConnectionId connection) {
        return db.call(tx ->
                tx.single(
                        """
                        select owner, wake_at <= ? as is_awake
                          from lane
                         where connection_id = ?
                        """,
                        row -> new LaneRow(owner(row), row.bool("is_awake")),
                        clock.instant(),
                        connection.value()));
    }

    private static Optional<Long> owner(Row row) throws SQLException {
        return row.isNull("owner") ? Optional.empty() : Optional.of(row.number("owner"));
    }

    @Override
    public void close() {
        db.close();
    }
}
