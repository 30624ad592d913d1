package dev.sluice.observe.audit;

import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/// The days (UTC) whose events and deliveries are there: a partition of each, attached.
final class Days {

    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");

    private Days() {}

    static NavigableSet<LocalDate> kept(Tx tx) {
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
                        row -> LocalDate.parse(row.text("day"), NAME)));
    }

    static boolean isKept(Tx tx, Instant at) {
        return kept(tx).contains(LocalDate.ofInstant(at, ZoneOffset.UTC));
    }

    /// That hour, or the first of the next day that is kept.
    static Optional<Instant> notBefore(Tx tx, Instant hour) {
        var day = LocalDate.ofInstant(hour, ZoneOffset.UTC);
        var kept = kept(tx).tailSet(day, true);
        return kept.stream().findFirst().map(first -> first.equals(day) ? hour : start(first));
    }

    static Instant start(LocalDate day) {
        return day.atStartOfDay().toInstant(ZoneOffset.UTC);
    }
}
