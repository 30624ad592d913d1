package dev.sluice.features.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.ExpiringDeliveries;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.features.recovery.DismissalStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.GivenRows.UsageRow;
import dev.sluice.testkit.GivenRows.WorkRow;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/// A test database with events of any age, written as the relay writes them, and the retention
/// loops that run on it.
final class RetentionFixture implements AutoCloseable {

    /// Announced deliveries, in order.
    final List<ExpiringDeliveries> warned = new ArrayList<>();

    /// Called in the transaction of an announcement.
    Consumer<Tx> onWarned = _ -> {};

    /// Deliveries that retention ended, in order.
    final List<DeliveryResult> ended = new ArrayList<>();

    final Db db;
    final ManualClock clock = new ManualClock(Some.NOON);
    final PartitionStore partitions;
    final PlanCatalog plans;

    private final Random random = new Random(5);

    RetentionFixture(Database database, Path directory, String plans) throws IOException {
        db = TestPostgres.open(database);
        Given.clearTables(db);
        db.run(tx -> {
            tx.update("delete from retention_notice");
            for (String table :
                    tx.query(
                            """
                            select relname as name from pg_class
                             where relnamespace = current_schema()::regnamespace and relkind = 'r'
                               and relname ~ '_[0-9]{8}$'
                            """,
                            row -> row.text("name"))) {
                tx.update("drop table " + table);
            }
        });
        partitions = new PartitionStore(db);
        partitions.makeAhead(Some.NOON);
        this.plans = PlanCatalog.read(Files.writeString(directory.resolve("plans.json"), plans));
    }

    /// The loop of one node, before its first round.
    RetentionLoop node() {
        return new RetentionLoop(
                db,
                plans,
                partitions,
                new Uuid7(clock, new Random()),
                (_, effective) -> {
                    synchronized (ended) {
                        ended.addAll(effective);
                    }
                },
                (tx, soon) -> {
                    onWarned.accept(tx);
                    synchronized (warned) {
                        warned.addAll(soon);
                    }
                },
                List.of(DismissalStore::deleteBefore),
                clock);
    }

    /// Runs one round of a newly started node.
    void round() {
        node().run();
    }

    /// A source in a workspace of its own.
    SourceId source(String plan) {
        var source = new Given(db).source();
        plan(source, plan, Some.NOON);
        return source;
    }

    void plan(SourceId source, String plan, Instant changedAt) {
        db.run(tx ->
                tx.update(
                        """
                        update workspace set plan = ?, updated_at = ?
                         where id = (select workspace_id from source where id = ?)
                        """,
                        plan,
                        changedAt,
                        source.value()));
    }

    /// Inserts an event with one waiting delivery.
    DeliveryId waiting(SourceId source, ConnectionId connection, Instant at) {
        return event(source, connection, at, null);
    }

    /// Inserts many such events, each a millisecond after the one before.
    void waiting(SourceId source, ConnectionId connection, Instant from, int events) {
        db.run(tx -> {
            for (int i = 0; i < events; i++) {
                event(tx, source, connection, from.plusMillis(i), null);
            }
        });
    }

    /// Inserts an event with one delivery that a node owns.
    DeliveryId owned(SourceId source, ConnectionId connection, Instant at) {
        return event(source, connection, at, 77L);
    }

    private DeliveryId event(
            SourceId source, ConnectionId connection, Instant at, @Nullable Long owner) {
        return db.call(tx -> event(tx, source, connection, at, owner));
    }

    private DeliveryId event(
            Tx tx, SourceId source, ConnectionId connection, Instant at, @Nullable Long owner) {
        var event = new EventId(new Uuid7(() -> at, random).next(12));
        GivenRows.insertEvents(tx, List.of(new GivenRows.EventRow(event, source, 1)));
        GivenRows.addToHour(tx, UsageRow.event(source, at, VerificationStatus.SKIPPED, 2));
        var id = DeliveryId.of(event, 1);
        work(
                tx,
                owner == null
                        ? WorkRow.waiting(id, source, connection, at)
                        : WorkRow.owned(id, source, connection, owner));
        return id;
    }

    /// Creates a resend of an event now.
    DeliveryId resent(SourceId source, ConnectionId connection, EventId event) {
        var id = DeliveryId.of(event, DeliveryId.MIN_RESEND_ORDINAL);
        var now = clock.instant();
        var row = WorkRow.waiting(id, source, connection, now).withCreatedAt(now);
        db.run(tx -> work(tx, row));
        return id;
    }

    private static void work(Tx tx, WorkRow row) {
        GivenRows.insertWork(tx, List.of(row));
        GivenRows.addToHour(tx, UsageRow.delivery(row.id(), row.connection()));
    }

    /// One state for a delivery that exists, none for one that does not.
    List<DeliveryState> deliveryStates(DeliveryId delivery) {
        return DeliveryState.read(db, delivery);
    }

    long count(String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    /// The partition of one day.
    record DayTable(String name, Attachment attachment) {

        enum Attachment {
            ATTACHED,
            DETACHING,
            DETACHED
        }

        static DayTable attached(String name) {
            return new DayTable(name, Attachment.ATTACHED);
        }
    }

    /// The day partitions of a table, attached or not, the oldest first.
    List<DayTable> days(String table) {
        return db.call(tx ->
                tx.query(
                        """
                        select relname,
                               case when inhrelid is null then 'DETACHED'
                                    when inhdetachpending then 'DETACHING' else 'ATTACHED' end as attachment
                          from pg_class left join pg_inherits on inhrelid = pg_class.oid
                         where relnamespace = current_schema()::regnamespace and relkind = 'r'
                           and relname ~ ('^' || ? || '_[0-9]{8}$')
                         order by 1
                        """,
                        row ->
                                new DayTable(
                                        row.text("relname"),
                                        DayTable.Attachment.valueOf(row.text("attachment"))),
                        table));
    }

    @Override
    public void close() {
        db.close();
    }
}
