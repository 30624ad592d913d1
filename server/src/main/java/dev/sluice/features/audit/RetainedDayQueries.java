package dev.sluice.features.audit;

import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/// Finds out which UTC days are still retained. A day is retained if its partition of `event` and
/// its partition of `delivery` are both attached.
final class RetainedDayQueries {

    private static final DateTimeFormatter PARTITION_DAY_FORMAT =
            DateTimeFormatter.ofPattern("uuuuMMdd");

    private RetainedDayQueries() {}

    static NavigableSet<LocalDate> retained(Tx tx) {
        return new TreeSet<>(
                tx.query(
                        """
                        select right(relname, 8) as day
                          from pg_inherits
                          join pg_class on pg_class.oid = inhrelid
                         where inhparent in ('event'::regclass, 'delivery'::regclass)
                           and not inhdetachpending
                           and relname ~ '_[0-9]{8}$'
                         group by right(relname, 8)
                        having count(*) = 2
                        """,
                        row -> LocalDate.parse(row.text("day"), PARTITION_DAY_FORMAT)));
    }

    static boolean isRetained(Tx tx, Instant at) {
        return retained(tx).contains(LocalDate.ofInstant(at, ZoneOffset.UTC));
    }

    /// Returns `hour` if its day is retained, otherwise the first hour of the next retained day.
    /// Returns empty if there is no such day.
    static Optional<Instant> firstHourFrom(Tx tx, Instant hour) {
        var day = LocalDate.ofInstant(hour, ZoneOffset.UTC);
        var kept = retained(tx).tailSet(day, true);
        return kept.stream().findFirst().map(first -> first.equals(day) ? hour : start(first));
    }

    static Instant start(LocalDate day) {
        return day.atStartOfDay().toInstant(ZoneOffset.UTC);
    }
}
