package dev.sluice.features.stats;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.RefusalReason;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Page;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Reads how many requests one source refused, by minute and reason, newest first.
///
/// Requests that failed verification are stored as events, so their number is read from the event
/// counts.
final class RefusalQueries {

    private static final int MINUTES_PER_HOUR = 60;

    /// The number of requests that were refused in one minute for one reason.
    ///
    /// @param minute the start of the minute
    record RefusalCount(Instant minute, RefusalReason reason, long n) {}

    private final Tx tx;
    private final Object[] arguments;

    /// @param tx a transaction started with [dev.sluice.platform.db.Db#snapshot], so that all
    ///   queries see the same data
    /// @param after the start of the first minute, inclusive
    /// @param before the end of the last minute, exclusive
    RefusalQueries(Tx tx, UUID source, Instant after, Instant before) {
        this.tx = tx;
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
        long first = minuteOf(after);
        long end = minuteOf(before);
        arguments =
                new Object[] {
                    source,
                    (int) Math.floorDiv(first, MINUTES_PER_HOUR),
                    (int) Math.ceilDiv(end, MINUTES_PER_HOUR),
                    source,
                    first,
                    end
                };
    }

    private static long minuteOf(Instant time) {
        return Math.floorDiv(time.getEpochSecond(), Duration.ofMinutes(1).toSeconds());
    }

    long count() {
        return tx.single(
                "select count(*) as n from (%s) as refused".formatted(refused()),
                row -> row.number("n"),
                arguments);
    }

    List<RefusalCount> page(Page page) {
        return tx.query(
                "select * from (%s) as refused order by minute desc, reason limit %d offset %d"
                        .formatted(refused(), page.limit(), page.offset()),
                row ->
                        new RefusalCount(
                                Instant.EPOCH.plus(Duration.ofMinutes(row.number("minute"))),
                                RefusalReason.fromNumber(row.integer("reason")),
                                row.number("n")),
                arguments);
    }

    private static String refused() {
        return """
        select minute, case when kind = %1$d then %2$d else dim end as reason, sum(n) as n
          from (select kind, dim, hour::bigint * 60 + number - 1 as minute, counted::bigint as n
                  from rollup_hour, unnest(minutes) with ordinality as at (counted, number)
                 where kind in (%1$d, %3$d) and key = ? and hour >= ? and hour < ?
                   and counted > 0
                union all
                select kind, dim, hour::bigint * 60 + minute, n
                  from ledger, unnest(kinds, keys, hours, minutes, dims, counts)
                                 as unfolded (kind, key, hour, minute, dim, n)
                 where kind in (%1$d, %3$d) and key = ?) as entry
         where (kind = %3$d or dim = %4$d) and minute >= ? and minute < ?
         group by minute, reason
        """
                .formatted(
                        UsageKind.EVENTS.number(),
                        RefusalReason.VERIFICATION_FAILED.number(),
                        UsageKind.REFUSALS.number(),
                        (int) VerificationStatus.FAILED.number());
    }
}
