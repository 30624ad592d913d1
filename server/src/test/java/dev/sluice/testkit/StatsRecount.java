package dev.sluice.testkit;

import dev.sluice.platform.db.Db;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Counts again, from the rows themselves, what the statistics say.
public final class StatsRecount {

    /// The counts of an object of the statistics.
    public static final List<String> FIELDS =
            List.of(
                    "events",
                    "verified",
                    "unverified",
                    "skipped",
                    "deliveries",
                    "succeeded",
                    "failed",
                    "exhausted",
                    "pending",
                    "filtered");

    private static final String HOUR_OF =
            "('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000";

    private StatsRecount() {}

    /// Counts the rows of the history and of the work, by the hour of the event.
    ///
    /// @param condition what to count, in SQL, such as of one source
    /// @return the fields of each bucket, by its start
    public static Map<Instant, Map<String, Long>> byHour(Db db, String condition) {
        var hours = new HashMap<Instant, Map<String, Long>>();
        db.run(tx ->
                tx.query(
                        """
                        select at, what, count(*) as n from (
                          select %1$s as at, 'events' as what, source_id from event
                          union all
                          select %1$s, case verification when 1 then 'verified' when 2 then 'unverified'
                                                         else 'skipped' end, source_id from event
                          union all
                          select %1$s, 'filtered', source_id from event, unnest(filtered)
                          union all
                          select %1$s, 'deliveries', source_id from event, unnest(filtered)
                          union all
                          select %1$s, 'deliveries', source_id from delivery
                          union all
                          select %1$s, case status when 3 then 'succeeded' when 4 then 'failed'
                                                   else 'exhausted' end, source_id from delivery
                          union all
                          select %1$s, unnest(array['deliveries', 'pending']), source_id from delivery_work
                        ) as counted
                        where %2$s
                          and source_id in (select id from source where trashed_at is null)
                        group by at, what
                        """
                                .formatted(HOUR_OF, condition),
                        row -> {
                            var start = Instant.EPOCH.plus(Duration.ofHours(row.number("at")));
                            return hours.computeIfAbsent(start, _ -> new HashMap<>())
                                    .put(row.text("what"), row.number("n"));
                        }));
        return hours;
    }

    /// Returns the counts that are not zero of an object of the statistics.
    public static Map<String, Long> counts(JsonNode node) {
        var counts = new HashMap<String, Long>();
        for (String field : FIELDS) {
            long n = node.path(field).asLong(-1);
            if (n != 0) {
                counts.put(field, n);
            }
        }
        return counts;
    }

    /// Returns the counts of each bucket that is not empty of an overview, by its start.
    public static Map<Instant, Map<String, Long>> buckets(JsonNode overview) {
        var buckets = new HashMap<Instant, Map<String, Long>>();
        for (var bucket : overview.path("histogram")) {
            var counts = counts(bucket);
            if (!counts.isEmpty()) {
                buckets.put(Instant.parse(bucket.path("start").asString()), counts);
            }
        }
        return buckets;
    }

    /// Returns the sums over all hours.
    public static Map<String, Long> total(Map<Instant, Map<String, Long>> hours) {
        var totals = new HashMap<String, Long>();
        hours.values()
                .forEach(hour -> hour.forEach((field, n) -> totals.merge(field, n, Long::sum)));
        return totals;
    }
}
