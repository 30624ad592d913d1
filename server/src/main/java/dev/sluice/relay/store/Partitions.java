package dev.sluice.relay.store;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The days of the history tables. A day's partition takes the ids made on that day (UTC).
public final class Partitions {

    private static final Logger log = LoggerFactory.getLogger(Partitions.class);

    private static final List<String> TABLES = List.of("event", "delivery", "attempt");
    private static final int DAYS_AHEAD = 7;

    /// Who waits for a lock is in the way of who comes after.
    private static final Duration LOCK_PATIENCE = Duration.ofMillis(500);

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

    /// Days (UTC) whose deliveries are there.
    public NavigableSet<LocalDate> days() {
        return db.call(Partitions::tables).stream()
                .filter(table -> table.isAttached() && !table.isPending())
                .filter(table -> table.of().equals("delivery"))
                .map(Table::day)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// Removes the days before `first`, oldest first. False when somebody still reads one of them:
    /// what was begun is to be ended by another call.
    ///
    /// Traffic does not wait for it: a day is detached concurrently, which takes no lock that
    /// reading or writing other days would feel, and it waits for no lock for long. An earlier call
    /// may have been cut short in the middle of a detach, or before the drop.
    public boolean dropBefore(LocalDate first) {
        for (var table : db.call(Partitions::tables)) {
            if (table.day().isBefore(first)) {
                try {
                    drop(table);
                } catch (DbException e) {
                    if (!e.isLockTimeout()) {
                        throw e;
                    }
                    log.atInfo().addKeyValue("partition", table.name()).log("partition.in_use");
                    return false;
                }
                log.atInfo().addKeyValue("partition", table.name()).log("partition.dropped");
            }
        }
        return true;
    }

    private void drop(Table table) {
        if (table.isAttached()) {
            db.alone(
                    "alter table "
                            + table.of()
                            + " detach partition "
                            + table.name()
                            + (table.isPending() ? " finalize" : " concurrently"),
                    LOCK_PATIENCE);
        }
        db.run(tx -> {
            tx.update("set local lock_timeout = " + LOCK_PATIENCE.toMillis());
            tx.update("drop table if exists " + table.name());
        });
    }

    /// A day of one of the tables. Not attached: its removal was begun.
    ///
    /// @param isPending its detaching was begun and not ended
    private record Table(String of, LocalDate day, boolean isAttached, boolean isPending) {

        String name() {
            return of + "_" + NAME.format(day);
        }
    }

    /// Oldest first; of one day, in the order of `TABLES`.
    private static List<Table> tables(Tx tx) {
        return tx
                .query(
                        """
                        select left(relname, -9) as parent, right(relname, 8) as day,
                               inhrelid is not null as is_attached,
                               coalesce(inhdetachpending, false) as is_pending
                          from pg_class
                          left join pg_inherits on inhrelid = pg_class.oid
                         where relnamespace = current_schema()::regnamespace and relkind = 'r'
                           and relname ~ '^(event|delivery|attempt)_[0-9]{8}$'
                        """,
                        row ->
                                new Table(
                                        row.text("parent"),
                                        LocalDate.parse(row.text("day"), NAME),
                                        row.bool("is_attached"),
                                        row.bool("is_pending")))
                .stream()
                .sorted(
                        Comparator.comparing(Table::day)
                                .thenComparingInt(table -> TABLES.indexOf(table.of())))
                .toList();
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
