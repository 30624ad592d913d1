package dev.sluice.features.audit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.GivenRows.UsageRow;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// A database whose rows the tests write as the relay does, so that a test can also write wrong
/// ones.
final class AuditFixture implements AutoCloseable {

    private static final Database DATABASE = TestPostgres.newDatabase();

    final Db db = TestPostgres.open(DATABASE);
    final SourceId source = Some.sourceId();
    final ConnectionId connection = new ConnectionId(Some.id());

    private final Random random = new Random(7);

    AuditFixture() {
        Given.clearTables(db);
        db.run(tx ->
                tx.update(
                        "update audit set checked_to = null, holder = null, lease_until = null,"
                                + " violations = 0"));
        new PartitionStore(db).makeAhead(Some.NOON);
    }

    /// Inserts an event of two bytes and its usage counts.
    EventId addEvent(Instant at, int fanout, int filtered) {
        var event = new EventId(new Uuid7(() -> at, random).next(12));
        var list = new ArrayList<UUID>();
        for (int i = 0; i < filtered; i++) {
            list.add(Some.id());
        }
        db.run(tx -> {
            var row = new GivenRows.EventRow(event, source, fanout).withFiltered(list);
            GivenRows.insertEvents(tx, List.of(row));
            GivenRows.addToHour(tx, UsageRow.event(source, at, VerificationStatus.SKIPPED, 2));
            for (var kept : list) {
                GivenRows.addToHour(
                        tx,
                        UsageRow.outcome(
                                DeliveryId.of(event, fanout),
                                new ConnectionId(kept),
                                DeliveryStatus.FILTERED));
            }
        });
        return event;
    }

    /// Inserts an unfinished delivery and its usage counts.
    DeliveryId addWork(EventId event, int ordinal) {
        return db.call(tx -> {
            var id = insertWork(tx, event, ordinal);
            GivenRows.addToHour(tx, UsageRow.delivery(id, connection));
            return id;
        });
    }

    /// Inserts a finished delivery and its usage counts.
    DeliveryId addHistory(EventId event, int ordinal, DeliveryStatus status) {
        var id = addWork(event, ordinal);
        finish(id, status);
        return id;
    }

    /// Moves a delivery from work to history, as a result does.
    void finish(DeliveryId id, DeliveryStatus status) {
        db.run(tx -> {
            tx.update("delete from delivery_work where id = ?", id.value());
            insertHistory(tx, id, source, status);
            GivenRows.addToHour(tx, UsageRow.outcome(id, connection, status));
            if (status == DeliveryStatus.FILTERED) {
                GivenRows.addToHour(tx, UsageRow.delivery(id, connection).times(-1));
            }
        });
    }

    DeliveryId insertWork(Tx tx, EventId event, int ordinal) {
        var id = DeliveryId.of(event, ordinal);
        GivenRows.insertWork(tx, List.of(GivenRows.WorkRow.owned(id, source, connection, 1)));
        return id;
    }

    void insertHistory(Tx tx, DeliveryId id, SourceId under, DeliveryStatus status) {
        var row = new GivenRows.DeliveryRow(id, under, connection, status, Some.NOON);
        GivenRows.insertDeliveries(tx, List.of(row));
    }

    /// Moves all hourly counts into one ledger row.
    void unfoldHours() {
        db.run(tx -> {
            var hours =
                    tx.query(
                            "delete from rollup_hour returning kind, key, hour, dim, n, size",
                            row ->
                                    new UsageRow(
                                            row.integer("kind"),
                                            row.uuid("key"),
                                            row.integer("hour"),
                                            0,
                                            row.integer("dim"),
                                            row.integer("n"),
                                            row.number("size")));
            GivenRows.insertLedger(tx, source.value(), hours);
        });
    }

    /// Adds a count whose number is no verification status.
    void addDamagedSum(Instant at) {
        var usage = UsageRow.event(Some.sourceId(), at, VerificationStatus.SKIPPED, 0);
        var damaged = new UsageRow(usage.kind(), usage.key(), usage.hour(), 0, 99, usage.n(), 0);
        db.run(tx -> GivenRows.addToHour(tx, damaged));
    }

    /// Inserts three events, with deliveries in each state, two filtered ones and a resend.
    EventId mixedEvents(Instant at) {
        var event = addEvent(at, 5, 2);
        addWork(event, 1);
        addHistory(event, 2, DeliveryStatus.SUCCEEDED);
        addHistory(event, 3, DeliveryStatus.EXHAUSTED);
        addHistory(event, DeliveryId.MIN_RESEND_ORDINAL, DeliveryStatus.SUCCEEDED);
        addEvent(at, 0, 0);
        addEvent(at, 2, 2);
        return event;
    }

    void execute(String sql, Object... arguments) {
        db.run(tx -> tx.update(sql, arguments));
    }

    AuditReport audit() {
        return DatabaseAuditor.check(db, Some.NOON, Some.NOON.plus(HourAuditor.ONE_HOUR));
    }

    @Override
    public void close() {
        db.close();
    }
}
