package dev.sluice.engine.commit;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Creates and drops the day partitions of the history tables. A partition contains the rows whose
/// ids were created on one UTC day.
public final class PartitionStore {

    private static final Logger log = LoggerFactory.getLogger(PartitionStore.class);

    public static final List<String> PARTITIONED_TABLES = List.of("event", "delivery", "attempt");
    private static final int PARTITION_DAYS_AHEAD = 7;

    /// How many days are created, or partitions dropped, in a transaction. A day's three partitions
    /// take some thirty locks with their indexes.
    private static final int MAX_CHANGES_PER_TRANSACTION = 20;

    /// The maximum wait for a lock. It is short because a waiting lock request blocks all requests
    /// behind it.
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    private static final DateTimeFormatter DAY_SUFFIX_FORMAT =
            DateTimeFormatter.ofPattern("uuuuMMdd");

    private final Db db;

    public PartitionStore(Db db) {
        this.db = db;
    }

    /// Returns the column whose id decides the partition of a row.
    public static String keyColumn(String table) {
        return table.equals("attempt") ? "delivery_id" : "id";
    }

    /// Returns the day whose partition contains the rows with this id.
    public static LocalDate dayOf(UUID id) {
        return LocalDate.ofInstant(Uuid7.timeOf(id), ZoneOffset.UTC);
    }

    /// Creates the missing partitions for each day from the day before `now` to seven days after
    /// `now`. The day before is included because the nodes' clocks differ.
    public void makeAhead(Instant now) {
        var today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        for (int day = -1; day <= PARTITION_DAYS_AHEAD; day++) {
            make(today.plusDays(day));
        }
    }

    /// Creates the missing partitions for the days on which these ids were created. Called by a
    /// writer that found a partition missing. The days may be far from today if the clock has
    /// jumped. If the database fails to create a day's partitions, the failure is only logged, and
    /// the other days' partitions are still created. The writer then retries its write, and calls
    /// this method again if a partition is still missing.
    public void makeMissing(Stream<UUID> ids) {
        ids.map(PartitionStore::dayOf).distinct().forEach(this::makeOrLog);
    }

    private void makeOrLog(LocalDate day) {
        try {
            make(day);
        } catch (DbException e) {
            log.atWarn().addKeyValue("day", day).setCause(e).log("partition.creation_failed");
        }
    }

    /// Creates the missing partitions for these UTC days, a few days in each transaction, because a
    /// transaction can hold only some thousand locks. No other process may use the tables.
    public void makeAlone(Collection<LocalDate> days) {
        inGroups(
                List.copyOf(days),
                (tx, day) -> PARTITIONED_TABLES.forEach(table -> makeAttached(tx, table, day)));
    }

    /// Drops all partitions, a few in each transaction. No other process may use the tables.
    public void dropAllAlone() {
        inGroups(
                db.call(PartitionStore::tables),
                (tx, table) -> tx.update("drop table " + table.name()));
    }

    private <T> void inGroups(List<T> all, BiConsumer<Tx, T> change) {
        for (int from = 0; from < all.size(); from += MAX_CHANGES_PER_TRANSACTION) {
            var group = all.subList(from, Math.min(all.size(), from + MAX_CHANGES_PER_TRANSACTION));
            db.run(tx -> group.forEach(each -> change.accept(tx, each)));
        }
    }

    private static String name(String table, LocalDate day) {
        return table + "_" + DAY_SUFFIX_FORMAT.format(day);
    }

    /// Creates each table separately and then attaches it as a partition. This needs no lock that
    /// blocks traffic. A failure is ignored if another node has created the partition in the
    /// meantime.
    private void make(LocalDate day) {
        for (String table : PARTITIONED_TABLES) {
            String name = name(table, day);
            try {
                db.run(tx -> make(tx, table, name, day));
            } catch (DbException e) {
                if (!db.call(tx -> exists(tx, name))) {
                    throw e;
                }
                log.atDebug()
                        .addKeyValue("partition", name)
                        .setCause(e)
                        .log("partition.creation_skipped");
            }
        }
    }

    private static void make(Tx tx, String table, String name, LocalDate day) {
        if (exists(tx, name)) {
            return;
        }
        tx.update("create table " + name + " (like " + table + " including all)" + storage(table));
        tx.update("alter table " + table + " attach partition " + name + values(day));
    }

    /// Creates a partition in one statement, which blocks all traffic but takes half the time when
    /// there are thousands.
    private static void makeAttached(Tx tx, String table, LocalDate day) {
        tx.update(
                "create table if not exists "
                        + name(table, day)
                        + " partition of "
                        + table
                        + values(day)
                        + storage(table));
    }

    /// Bodies of up to about 4 KB stay in the row of an event. They are never compressed, so every
    /// read costs the same.
    private static String storage(String table) {
        return table.equals("event") ? " with (toast_tuple_target = 4080)" : "";
    }

    private static String values(LocalDate day) {
        return " for values from ('"
                + boundary(day)
                + "') to ('"
                + boundary(day.plusDays(1))
                + "')";
    }

    /// Returns the UTC days whose partition of `delivery` is attached and not being detached.
    public NavigableSet<LocalDate> days() {
        return db.call(PartitionStore::tables).stream()
                .filter(table -> table.isAttached() && !table.isPending())
                .filter(table -> table.parentTable().equals("delivery"))
                .map(DayPartition::day)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// Returns the UTC days for which at least one table's partition is attached.
    public static NavigableSet<LocalDate> attachedDays(Tx tx) {
        return tables(tx).stream()
                .filter(DayPartition::isAttached)
                .map(DayPartition::day)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// Drops the partitions for all days before `first`, oldest first. If another transaction
    /// blocks a partition, stops and returns false; a later call then continues from there.
    ///
    /// Traffic is not held up: lock waits are short, and partitions are detached concurrently,
    /// without a lock that blocks other days. If an earlier call stopped in the middle of a detach,
    /// or between detach and drop, this call finishes that work. If a partition cannot be dropped
    /// for any other reason, the rest are still dropped; the call throws after it has tried them
    /// all.
    public boolean dropBefore(LocalDate first) {
        var parts = new RoundParts();
        boolean isComplete = true;
        for (var table : db.call(PartitionStore::tables)) {
            if (!table.day().isBefore(first)) {
                continue;
            }
            try {
                drop(table);
                log.atInfo().addKeyValue("partition", table.name()).log("partition.dropped");
            } catch (DbException e) {
                if (e.isLockTimeout()) {
                    log.atInfo()
                            .addKeyValue("partition", table.name())
                            .log("partition.drop_delayed");
                    isComplete = false;
                    break;
                }
                parts.run(() -> {
                    throw e;
                });
            }
        }
        parts.end();
        return isComplete;
    }

    private void drop(DayPartition table) {
        if (table.isAttached()) {
            db.executeOutsideTransaction(
                    "alter table "
                            + table.parentTable()
                            + " detach partition "
                            + table.name()
                            + (table.isPending() ? " finalize" : " concurrently"),
                    LOCK_TIMEOUT);
        }
        db.run(tx -> {
            tx.update("set local lock_timeout = " + LOCK_TIMEOUT.toMillis());
            tx.update("drop table if exists " + table.name());
        });
    }

    /// One table's partition for one day. A partition that is not attached is being created or
    /// removed.
    ///
    /// @param isPending whether detaching the partition has begun but not finished
    private record DayPartition(
            String parentTable, LocalDate day, boolean isAttached, boolean isPending) {

        String name() {
            return PartitionStore.name(parentTable, day);
        }
    }

    /// Returns the partitions, oldest first. Within a day, they are in the order of
    /// `PARTITIONED_TABLES`.
    private static List<DayPartition> tables(Tx tx) {
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
                                new DayPartition(
                                        row.text("parent"),
                                        LocalDate.parse(row.text("day"), DAY_SUFFIX_FORMAT),
                                        row.bool("is_attached"),
                                        row.bool("is_pending")))
                .stream()
                .sorted(
                        Comparator.comparing(DayPartition::day)
                                .thenComparingInt(
                                        table -> PARTITIONED_TABLES.indexOf(table.parentTable())))
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

    /// Returns the lowest id of the day's partition.
    public static String boundary(LocalDate day) {
        return Uuid7.floor(day.atStartOfDay().toInstant(ZoneOffset.UTC)).toString();
    }
}
