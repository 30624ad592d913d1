package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.history.counts.RangeSplitter;
import dev.sluice.history.counts.RangeSplitter.BucketUnit;
import dev.sluice.history.counts.RangeSplitter.RangePart;
import dev.sluice.history.counts.SourceWindow;
import dev.sluice.history.counts.UsageQueries;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.json.JsonObject;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The numbers of failed and exhausted deliveries from one source, by connection.
final class DeadLetterSummary {

    private record SummaryKey(UUID connection, int status) {}

    private static final int FAILED_STATUS = DeliveryStatus.FAILED.number();
    private static final int EXHAUSTED_STATUS = DeliveryStatus.EXHAUSTED.number();

    private final DeliveryScope scope;
    private final Map<SummaryKey, Long> counts = new HashMap<>();

    private DeadLetterSummary(DeliveryScope scope) {
        this.scope = scope;
    }

    /// Counts all failed and exhausted deliveries from a source. The numbers are exact. For whole
    /// hours, they come from the usage counts. For hours that `retained` covers only partly, the
    /// rows themselves are counted.
    ///
    /// @param tx a transaction started with [dev.sluice.platform.db.Db#snapshot], so that all
    ///   queries see the same data
    /// @param scope all connections of one source
    /// @param retained the id range of the deliveries that have not expired
    static DeadLetterSummary of(Tx tx, DeliveryScope scope, UUID source, IdRange retained) {
        var summary = new DeadLetterSummary(scope);
        var usage =
                new UsageQueries(
                        tx,
                        UsageQueries.UsageSeries.OUTCOMES,
                        scope.connections(),
                        List.of(FAILED_STATUS, EXHAUSTED_STATUS));
        for (var part : RangeSplitter.split(retained, BucketUnit.HOUR)) {
            switch (part) {
                case RangePart.WholeUnits(BucketUnit unit, long from, long to) ->
                        usage.counts(unit, from, to)
                                .forEach(count -> summary.add(count.key(), count.dim(), count.n()));
                case RangePart.RangeEdge(IdRange ids) ->
                        DeadLetterQueries.failureCounts(
                                        tx, List.of(new SourceWindow(source, ids, false)))
                                .forEach(count ->
                                        summary.add(count.connection(), count.status(), count.n()));
            }
        }
        return summary;
    }

    /// Counts the deliveries with these keys.
    static DeadLetterSummary of(DeliveryScope scope, List<DeliveryKey> keys) {
        var summary = new DeadLetterSummary(scope);
        keys.forEach(key -> summary.add(key.connection(), key.status().number(), 1));
        return summary;
    }

    private void add(UUID connection, int status, long n) {
        counts.merge(new SummaryKey(connection, status), n, Long::sum);
    }

    private long count(UUID connection, int status) {
        return counts.getOrDefault(new SummaryKey(connection, status), 0L);
    }

    /// Returns the summary as JSON, with the newest connection first. Deleted connections are
    /// listed only if they have failures.
    JsonObject json() {
        return JsonObject.items(
                scope.targets().values().stream()
                        .filter(scopedConnection ->
                                !scopedConnection.isDeleted()
                                        || hasFailures(scopedConnection.connection().value()))
                        .map(this::item)
                        .toList());
    }

    private boolean hasFailures(UUID connection) {
        return count(connection, FAILED_STATUS) + count(connection, EXHAUSTED_STATUS) > 0;
    }

    private JsonObject item(DeliveryScope.ScopedConnection scopedConnection) {
        var connection = scopedConnection.connection().value();
        return new JsonObject()
                .put("connection_id", connection)
                .put("destination_id", scopedConnection.destination())
                .put("destination_name", scopedConnection.destinationName())
                .put("exhausted", count(connection, EXHAUSTED_STATUS))
                .put("failed", count(connection, FAILED_STATUS));
    }
}
