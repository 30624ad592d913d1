package dev.sluice.observe.sums;

import dev.sluice.observe.sums.Cover.Unit;
import dev.sluice.platform.db.Tx;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// How many there were when, exactly: from the sums that are kept of them and from what the ledger
/// holds still unfolded. Belongs to one transaction, which must be a snapshot.
public final class Sums {

    /// What is counted; the numbers are stored. All is counted in the time of its event.
    public enum Kind {
        /// Of a source, by verification.
        EVENTS(1, Unit.MINUTE),
        /// Ends of deliveries on a connection, by status.
        OUTCOMES(2, Unit.HOUR);

        private final int number;
        private final Unit smallest;

        Kind(int number, Unit smallest) {
            this.number = number;
            this.smallest = smallest;
        }
    }

    /// So many in this unit of time; never none.
    ///
    /// @param from minutes since 1970
    record Bucket(Unit unit, long from, long n) {
        long to() {
            return from + unit.minutes;
        }
    }

    /// So many of one key.
    ///
    /// @param dim what the kind is counted by
    public record Count(UUID key, int dim, long n) {}

    /// The smallest units that a key had wanted ones in.
    ///
    /// @param units their beginnings in minutes since 1970, each with whether the key is known to
    ///   have had only wanted ones in its hour
    record Presence(UUID key, SortedMap<Long, Boolean> units) {}

    private record Found(UUID key, long since, boolean isPure) {}

    private record Unfolded(UUID key, long minute, int dim, long n) {}

    private final Tx tx;
    private final Kind kind;
    private final List<UUID> keys;
    private final List<Integer> wanted;
    private final List<Unfolded> unfolded;

    /// @param wanted some of what the kind is counted by
    public Sums(Tx tx, Kind kind, Collection<UUID> keys, Collection<Integer> wanted) {
        this.tx = tx;
        this.kind = kind;
        this.keys = List.copyOf(keys);
        this.wanted = List.copyOf(wanted);
        this.unfolded = unfolded();
    }

    private List<Unfolded> unfolded() {
        return tx.query(
                """
                select key, hour::bigint * 60 + minute as since, dim, sum(n) as n
                  from ledger, unnest(kinds, keys, hours, minutes, dims, counts)
                                 as entry (kind, key, hour, minute, dim, n)
                 where kind = ? and key = any (?)
                 group by key, hour, minute, dim
                """,
                row ->
                        new Unfolded(
                                row.uuid("key"),
                                row.number("since"),
                                row.integer("dim"),
                                row.number("n")),
                kind.number,
                keys);
    }

    /// The smallest unit that there are sums for.
    Unit smallest() {
        return kind.smallest;
    }

    /// Newest first, from minute `from` on and before `to`, both at a unit's beginning.
    List<Bucket> buckets(Unit unit, long from, long to) {
        var counts = new TreeMap<Long, Long>();
        var read =
                switch (unit) {
                    case DAY, HOUR -> whole(unit, from, to);
                    case MINUTE -> minutes(from, to);
                };
        read.forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        for (var entry : unfolded) {
            if (isWanted(entry, from, to)) {
                counts.merge(Cover.floor(entry.minute(), unit), entry.n(), Long::sum);
            }
        }
        return counts.descendingMap().entrySet().stream()
                .map(entry -> new Bucket(unit, entry.getKey(), entry.getValue()))
                .toList();
    }

    private List<Map.Entry<Long, Long>> whole(Unit unit, long from, long to) {
        return tx.query(
                """
                select %2$s::bigint * ? as since, sum(n) as n
                  from %1$s
                 where kind = ? and key = any (?) and %2$s >= ? and %2$s < ? and dim = any (?)
                 group by %2$s
                """
                        .formatted(table(unit), column(unit)),
                row -> Map.entry(row.number("since"), row.number("n")),
                unit.minutes,
                kind.number,
                keys,
                (int) (from / unit.minutes),
                (int) (to / unit.minutes),
                wanted);
    }

    private static String table(Unit unit) {
        return unit == Unit.DAY ? "rollup_day" : "rollup_hour";
    }

    private static String column(Unit unit) {
        return unit == Unit.DAY ? "day" : "hour";
    }

    private List<Map.Entry<Long, Long>> minutes(long from, long to) {
        return tx.query(
                """
                select hour::bigint * 60 + number - 1 as since, sum(counted) as n
                  from rollup_hour, unnest(minutes) with ordinality as minute (counted, number)
                 where kind = ? and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                   and counted > 0 and hour::bigint * 60 + number - 1 >= ?
                   and hour::bigint * 60 + number - 1 < ?
                 group by hour, number
                """,
                row -> Map.entry(row.number("since"), row.number("n")),
                kind.number,
                keys,
                firstHour(from),
                hourAfter(to),
                wanted,
                from,
                to);
    }

    private static int firstHour(long minute) {
        return (int) (minute / Unit.HOUR.minutes);
    }

    private static int hourAfter(long minute) {
        return (int) ((minute + Unit.HOUR.minutes - 1) / Unit.HOUR.minutes);
    }

    /// How many wanted ones each key had from minute `from` on and before `to`, both at the
    /// beginning of an hour, and of a day where `unit` is that. A key may come more than once.
    public List<Count> counts(Unit unit, long from, long to) {
        var stored = unit == Unit.DAY ? Unit.DAY : Unit.HOUR;
        var counts =
                new ArrayList<>(
                        tx.query(
                                """
                                select key, dim, sum(n) as n
                                  from %1$s
                                 where kind = ? and key = any (?) and %2$s >= ? and %2$s < ?
                                   and dim = any (?)
                                 group by key, dim
                                """
                                        .formatted(table(stored), column(stored)),
                                row ->
                                        new Count(
                                                row.uuid("key"),
                                                row.integer("dim"),
                                                row.number("n")),
                                kind.number,
                                keys,
                                (int) (from / stored.minutes),
                                (int) (to / stored.minutes),
                                wanted));
        for (var entry : unfolded) {
            if (isWanted(entry, from, to)) {
                counts.add(new Count(entry.key(), entry.dim(), entry.n()));
            }
        }
        return counts;
    }

    /// Who had wanted ones from minute `from` on and before `to`, both at the beginning of a
    /// smallest unit.
    List<Presence> presences(long from, long to) {
        Map<UUID, SortedMap<Long, Boolean>> byKey = new HashMap<>();
        for (var one : kind.smallest == Unit.HOUR ? foundHours(from, to) : foundMinutes(from, to)) {
            byKey.computeIfAbsent(one.key(), _ -> new TreeMap<>()).put(one.since(), one.isPure());
        }
        for (var entry : unfolded) {
            if (isWanted(entry, from, to)) {
                byKey.computeIfAbsent(entry.key(), _ -> new TreeMap<>())
                        .putIfAbsent(
                                Cover.floor(entry.minute(), kind.smallest),
                                false); // the hour was not looked at
            }
        }
        return byKey.entrySet().stream()
                .map(entry -> new Presence(entry.getKey(), entry.getValue()))
                .toList();
    }

    private List<Found> foundHours(long from, long to) {
        return tx.query(
                """
                select distinct key, hour::bigint * 60 as since
                  from rollup_hour
                 where kind = ? and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                """,
                row -> new Found(row.uuid("key"), row.number("since"), false),
                kind.number,
                keys,
                firstHour(from),
                hourAfter(to),
                wanted);
    }

    private List<Found> foundMinutes(long from, long to) {
        return tx.query(
                """
                select key, hour::bigint * 60 + number - 1 as since,
                       (select count(*)
                          from rollup_hour as other
                         where other.kind = hours.kind and other.key = hours.key
                           and other.hour = hours.hour and other.dim <> all (?)) as others
                  from rollup_hour as hours,
                       unnest(minutes) with ordinality as minute (counted, number)
                 where kind = ? and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                   and counted > 0 and hour::bigint * 60 + number - 1 >= ?
                   and hour::bigint * 60 + number - 1 < ?
                """,
                row -> {
                    var key = row.uuid("key");
                    long minute = row.number("since");
                    boolean isPure = row.number("others") == 0 && !hasOthersUnfolded(key, minute);
                    return new Found(key, minute, isPure);
                },
                wanted,
                kind.number,
                keys,
                firstHour(from),
                hourAfter(to),
                wanted,
                from,
                to);
    }

    private boolean hasOthersUnfolded(UUID key, long minute) {
        long hour = Cover.floor(minute, Unit.HOUR);
        return unfolded.stream()
                .anyMatch(entry ->
                        entry.key().equals(key)
                                && Cover.floor(entry.minute(), Unit.HOUR) == hour
                                && !wanted.contains(entry.dim()));
    }

    private boolean isWanted(Unfolded entry, long from, long to) {
        return wanted.contains(entry.dim()) && from <= entry.minute() && entry.minute() < to;
    }
}
