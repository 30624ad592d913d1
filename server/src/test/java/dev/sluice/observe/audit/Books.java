package dev.sluice.observe.audit;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.store.Partitions;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Random;
import java.util.UUID;

/// A database whose rows are written here as the relay writes them, so that a test can write them
/// wrong.
final class Books implements AutoCloseable {

    static final int SUCCEEDED = 3;
    static final int EXHAUSTED = 5;

    private static final Database DATABASE = TestCluster.newDatabase();

    final Db db = TestCluster.open(DATABASE);
    final UUID source = Some.id();
    final UUID connection = Some.id();

    private final Random random = new Random(7);

    Books() {
        Given.nothing(db);
        db.run(tx ->
                tx.update(
                        "update audit set checked_to = null, holder = null, lease_until = null,"
                                + " violations = 0"));
        new Partitions(db).makeAhead(Some.NOON);
    }

    /// A stored event of two bytes, counted in the sums.
    EventId event(Instant at, int fanout, int filtered) {
        var event = new EventId(new Uuid7(() -> at, random).next(12));
        var list = new ArrayList<UUID>();
        for (int i = 0; i < filtered; i++) {
            list.add(Some.id());
        }
        db.run(tx -> {
            tx.update(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, filtered,
                                       headers, body)
                    values (?, ?, 'POST', 3, ?, 2, ?, '', '{}')
                    """,
                    event.value(),
                    source,
                    fanout,
                    list);
            count(tx, 1, source, event, 3, 2);
        });
        return event;
    }

    /// An unfinished delivery, counted in the sums.
    DeliveryId work(EventId event, int ordinal) {
        return db.call(tx -> {
            var id = putWork(tx, event, ordinal);
            count(tx, 3, connection, event, ordinal < DeliveryId.FIRST_RESEND ? 1 : 2, 0);
            return id;
        });
    }

    /// A finished delivery, counted in the sums.
    DeliveryId history(EventId event, int ordinal, int status) {
        var id = work(event, ordinal);
        finish(id, status);
        return id;
    }

    /// Moves it from work to history, as a result does.
    void finish(DeliveryId id, int status) {
        db.run(tx -> {
            tx.update("delete from delivery_work where id = ?", id.value());
            putHistory(tx, id, source, status);
            count(tx, 2, connection, id.event(), status, 0);
        });
    }

    DeliveryId putWork(Tx tx, EventId event, int ordinal) {
        var id = DeliveryId.of(event, ordinal);
        tx.update(
                """
                insert into delivery_work (id, source_id, connection_id, owner, trigger)
                values (?, ?, ?, 1, ?)
                """,
                id.value(),
                source,
                connection,
                ordinal < DeliveryId.FIRST_RESEND ? 1 : 2);
        return id;
    }

    void putHistory(Tx tx, DeliveryId id, UUID under, int status) {
        tx.update(
                """
                insert into delivery (id, finished_at, source_id, connection_id, status, trigger, attempts)
                values (?, ?, ?, ?, ?, ?, 1)
                """,
                id.value(),
                Some.NOON,
                under,
                connection,
                status,
                id.ordinal() < DeliveryId.FIRST_RESEND ? 1 : 2);
    }

    private static void count(Tx tx, int kind, UUID key, EventId event, int dim, int size) {
        tx.update(
                """
                insert into rollup_hour (kind, key, hour, dim, n, size) values (?, ?, ?, ?, 1, ?)
                on conflict (kind, key, hour, dim)
                   do update set n = rollup_hour.n + 1, size = rollup_hour.size + excluded.size
                """,
                kind,
                key,
                (int) (Uuid7.timeOf(event.value()).getEpochSecond() / 3_600),
                dim,
                size);
    }

    /// Three events, one of each fate a delivery has, two filtered ones and a resend.
    EventId some(Instant at) {
        var event = event(at, 5, 2);
        work(event, 1);
        history(event, 2, SUCCEEDED);
        history(event, 3, EXHAUSTED);
        history(event, DeliveryId.FIRST_RESEND, SUCCEEDED);
        event(at, 0, 0);
        event(at, 2, 2);
        return event;
    }

    void damage(String sql, Object... arguments) {
        db.run(tx -> tx.update(sql, arguments));
    }

    Report check() {
        return Conservation.check(db, Some.NOON, Some.NOON.plus(HourCheck.HOUR));
    }

    @Override
    public void close() {
        db.close();
    }
}
