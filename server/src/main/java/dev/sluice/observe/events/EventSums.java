package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.events.Cover.Unit;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Verification;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// How many events came when, exactly: from the sums that are kept of them and from what the ledger
/// holds still unfolded. Belongs to one transaction, which must be a snapshot.
final class EventSums {

    /// So many events came in this unit of time; never none.
    ///
    /// @param from minutes since 1970
    record Bucket(Unit unit, long from, long n) {
        long to() {
            return from + unit.minutes;
        }
    }

    /// The minutes that a source had wanted events in.
    ///
    /// @param minutes since 1970, each with whether the source had only such in its hour
    record Presence(UUID source, SortedMap<Long, Boolean> minutes) {}

    private record Minute(UUID source, long minute, boolean isPure) {}

    private record Unfolded(UUID source, long minute, int verification, long n) {}

    private static final List<Integer> ANY =
            Arrays.stream(Verification.values()).map(one -> (int) one.number()).toList();

    private final Tx tx;
    private final List<UUID> sources;
    private final List<Integer> wanted;
    private final List<Unfolded> unfolded;

    EventSums(Tx tx, List<SourceId> sources, Optional<Verification> verification) {
        this.tx = tx;
        this.sources = sources.stream().map(SourceId::value).toList();
        this.wanted = verification.map(one -> List.of((int) one.number())).orElse(ANY);
        this.unfolded = unfolded();
    }

    private List<Unfolded> unfolded() {
        return tx.query(
                """
                select key, hour::bigint * 60 + minute as since, dim, sum(n) as n
                  from ledger, unnest(kinds, keys, hours, minutes, dims, counts)
                                 as entry (kind, key, hour, minute, dim, n)
                 where kind = 1 and key = any (?)
                 group by key, hour, minute, dim
                """,
                row ->
                        new Unfolded(
                                row.uuid("key"),
                                row.number("since"),
                                row.integer("dim"),
                                row.number("n")),
                sources);
    }

    /// Newest first, from minute `from` on and before `to`, both at a unit's beginning.
    List<Bucket> buckets(Unit unit, long from, long to) {
        var counts = new TreeMap<Long, Long>();
        var read =
                switch (unit) {
                    case DAY -> days(from, to);
                    case HOUR -> hours(from, to);
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

    private List<Map.Entry<Long, Long>> days(long from, long to) {
        return tx.query(
                """
                select day::bigint * 1440 as since, sum(n) as n
                  from rollup_day
                 where kind = 1 and key = any (?) and day >= ? and day < ? and dim = any (?)
                 group by day
                """,
                row -> Map.entry(row.number("since"), row.number("n")),
                sources,
                (int) (from / Unit.DAY.minutes),
                (int) (to / Unit.DAY.minutes),
                wanted);
    }

    private List<Map.Entry<Long, Long>> hours(long from, long to) {
        return tx.query(
                """
                select hour::bigint * 60 as since, sum(n) as n
                  from rollup_hour
                 where kind = 1 and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                 group by hour
                """,
                row -> Map.entry(row.number("since"), row.number("n")),
                sources,
                (int) (from / Unit.HOUR.minutes),
                (int) (to / Unit.HOUR.minutes),
                wanted);
    }

    private List<Map.Entry<Long, Long>> minutes(long from, long to) {
        return tx.query(
                """
                select hour::bigint * 60 + number - 1 as since, sum(counted) as n
                  from rollup_hour, unnest(minutes) with ordinality as minute (counted, number)
                 where kind = 1 and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                   and counted > 0 and hour::bigint * 60 + number - 1 >= ?
                   and hour::bigint * 60 + number - 1 < ?
                 group by hour, number
                """,
                row -> Map.entry(row.number("since"), row.number("n")),
                sources,
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

    /// Who had wanted events from minute `from` on and before `to`.
    List<Presence> presences(long from, long to) {
        Map<UUID, SortedMap<Long, Boolean>> bySource = new HashMap<>();
        for (var one : foldedMinutes(from, to)) {
            bySource.computeIfAbsent(one.source(), _ -> new TreeMap<>())
                    .put(one.minute(), one.isPure());
        }
        for (var entry : unfolded) {
            if (isWanted(entry, from, to)) {
                bySource.computeIfAbsent(entry.source(), _ -> new TreeMap<>())
                        .putIfAbsent(entry.minute(), false); // the hour was not looked at
            }
        }
        return bySource.entrySet().stream()
                .map(entry -> new Presence(entry.getKey(), entry.getValue()))
                .toList();
    }

    private List<Minute> foldedMinutes(long from, long to) {
        return tx.query(
                """
                select key, hour::bigint * 60 + number - 1 as since,
                       (select count(*)
                          from rollup_hour as other
                         where other.kind = 1 and other.key = hours.key
                           and other.hour = hours.hour and other.dim <> all (?)) as others
                  from rollup_hour as hours,
                       unnest(minutes) with ordinality as minute (counted, number)
                 where kind = 1 and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                   and counted > 0 and hour::bigint * 60 + number - 1 >= ?
                   and hour::bigint * 60 + number - 1 < ?
                """,
                row -> {
                    var source = row.uuid("key");
                    long minute = row.number("since");
                    boolean isPure =
                            row.number("others") == 0 && !hasOthersUnfolded(source, minute);
                    return new Minute(source, minute, isPure);
                },
                wanted,
                sources,
                firstHour(from),
                hourAfter(to),
                wanted,
                from,
                to);
    }

    private boolean hasOthersUnfolded(UUID source, long minute) {
        long hour = Cover.floor(minute, Unit.HOUR);
        return unfolded.stream()
                .anyMatch(entry ->
                        entry.source().equals(source)
                                && Cover.floor(entry.minute(), Unit.HOUR) == hour
                                && !wanted.contains(entry.verification()));
    }

    private boolean isWanted(Unfolded entry, long from, long to) {
        return wanted.contains(entry.verification())
                && from <= entry.minute()
                && entry.minute() < to;
    }
}
