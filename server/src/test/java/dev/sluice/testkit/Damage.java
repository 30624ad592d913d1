package dev.sluice.testkit;

import static org.awaitility.Awaitility.await;

import dev.sluice.engine.EventId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.util.Collection;

/// Damages stored rows as a failing disk does, so that PostgreSQL cannot read them any more.
public final class Damage {

    /// A body of this size is stored out of line, in the chunks of the TOAST table.
    public static final int TOASTED_BODY_BYTES = 20_000;

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private Damage() {}

    /// Removes the chunks of these events' bodies, to which their rows still point. Reading such a
    /// body then fails with "missing chunk number 0".
    public static void removeBodies(Db db, Collection<EventId> events) {
        events.forEach(event -> deleteChunks(db, event, "body"));
        events.forEach(event -> awaitUnreadable(db, event, "body"));
    }

    /// Removes the chunks of one column, which must be stored out of line.
    public static void remove(Db db, EventId event, String column) {
        deleteChunks(db, event, column);
        awaitUnreadable(db, event, column);
    }

    /// PostgreSQL refuses to change a TOAST table, so it is declared to be an ordinary table for
    /// the moment.
    private static void deleteChunks(Db db, EventId event, String column) {
        db.run(tx -> {
            var toast = toastTable(tx, event);
            long chunk =
                    tx.single(
                            "select pg_column_toast_chunk_id("
                                    + column
                                    + ")::bigint as id from event where id = ?",
                            row -> row.number("id"),
                            event.value());
            tx.update("set local allow_system_table_mods = on");
            declare(tx, toast, 'r');
            tx.update("delete from " + toast + " where chunk_id = " + chunk);
            declare(tx, toast, 't');
        });
    }

    private static String toastTable(Tx tx, EventId event) {
        return tx.single(
                """
                select reltoastrelid::regclass::text as name
                  from pg_class
                 where oid = (select tableoid from event where id = ?)
                """,
                row -> row.text("name"),
                event.value());
    }

    private static void declare(Tx tx, String table, char kind) {
        tx.update(
                "update pg_class set relkind = '"
                        + kind
                        + "' where oid = '"
                        + table
                        + "'::regclass");
    }

    /// Readers of chunks see deleted ones until they are vacuumed, and a snapshot elsewhere may
    /// keep them.
    private static void awaitUnreadable(Db db, EventId event, String column) {
        var toast = db.call(tx -> toastTable(tx, event));
        await().atMost(TIMEOUT)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    db.executeOutsideTransaction(
                            "vacuum (index_cleanup on) " + toast, Duration.ofSeconds(5));
                    return isGone(db, event, column);
                });
    }

    /// Whether no chunk is left, not even a deleted one.
    private static boolean isGone(Db db, EventId event, String column) {
        try {
            db.run(tx ->
                    tx.query(
                            "select " + column + "::text as value from event where id = ?",
                            row -> row.text("value"),
                            event.value()));
            return false;
        } catch (DbException e) {
            return String.valueOf(e.getMessage()).contains("missing chunk number 0");
        }
    }
}
