package dev.sluice.relay.store;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/// The days of the history tables. A day's partition takes the ids made on that day (UTC).
public final class Partitions {

    private static final Logger log = LoggerFactory.getLogger(Partitions.class);

    private static final List<String> TABLES = List.of("event", "delivery", "attempt");
    private static final int DAYS_AHEAD = 7;
    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");

    private final Db db;

    public Partitions(Db db) {
        this.db = db;
    }

    /// Makes what is missing from yesterday to a week from `now`; yesterday because of clocks that
    /// differ.
    public void makeAhead(Instant now) {
        var today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        for (int day = -1; day <= DAYS_AHEAD; day++) {
            make(today.plusDays(day));
        }
    }

    /// As `makeAhead`, for a writer that found a day missing. A failure is only logged: the writer
    /// tries again, and comes back here if the day is still missing.
    void makeMissing(Instant now) {
        try {
            makeAhead(now);
        } catch (DbException e) {
            log.atWarn().setCause(e).log("partitions.failed");
        }
    }

    /// Made apart and then attached, because that takes no lock that traffic would feel.
    private void make(LocalDate day) {
        for (String table : TABLES) {
            String name = table + "_" + NAME.format(day);
            try {
                db.run(tx -> make(tx, table, name, day));
            } catch (DbException e) {
                if (!db.call(tx -> exists(tx, name))) {
                    throw e;
                }
                log.debug("partition made by another node meanwhile", e);
            }
        }
    }

    private static void make(Tx tx, String table, String name, LocalDate day) {
        if (exists(tx, name)) {
            return;
        }
        String from = boundary(day);
        String to = boundary(day.plusDays(1));
        tx.update("create table " + name + " (like " + table + " including all)");
        if (table.equals("event")) {
            // Bodies up to about 4 KB stand in the row; they are never compressed, so that reading
            // costs the same.
            tx.update("alter table " + name + " set (toast_tuple_target = 4080)");
        }
        tx.update(
                "alter table "
                        + table
                        + " attach partition "
                        + name
                        + " for values from ('"
                        + from
                        + "') to ('"
                        + to
                        + "')");
    }

    private static boolean exists(Tx tx, String name) {
        return tx.single(
                """
                select exists (select from pg_class
                                where relname = ? and relnamespace = current_schema()::regnamespace) as is_there
                """,
                row -> row.bool("is_there"),
                name);
    }

    private static String boundary(LocalDate day) {
        return Uuid7.floor(day.atStartOfDay().toInstant(ZoneOffset.UTC)).toString();
    }
}
