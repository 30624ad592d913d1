package dev.sluice.observe.deadletters;

import dev.sluice.observe.sums.Cover;
import dev.sluice.observe.sums.Cover.Part;
import dev.sluice.observe.sums.Cover.Unit;
import dev.sluice.observe.sums.IdRange;
import dev.sluice.observe.sums.Sums;
import dev.sluice.observe.sums.Window;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryStatus;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// How many deliveries of one source failed on each of its connections, exactly.
final class Summary {

    private record Key(UUID connection, int status) {}

    private static final int FAILED = DeliveryStatus.FAILED.number();
    private static final int EXHAUSTED = DeliveryStatus.EXHAUSTED.number();

    private final Scope scope;
    private final Map<Key, Long> counts = new HashMap<>();

    private Summary(Scope scope) {
        this.scope = scope;
    }

    /// @param tx a snapshot
    /// @param scope all connections of one source
    /// @param since what came in before is expired
    static Summary of(Tx tx, Scope scope, UUID source, Instant since) {
        var summary = new Summary(scope);
        var sums =
                new Sums(tx, Sums.Kind.OUTCOMES, scope.connections(), List.of(FAILED, EXHAUSTED));
        for (var part : Cover.of(IdRange.between(since, Uuid7.FOREVER), Unit.HOUR)) {
            switch (part) {
                case Part.Whole(Unit unit, long from, long to) ->
                        sums.counts(unit, from, to)
                                .forEach(count -> summary.add(count.key(), count.dim(), count.n()));
                case Part.Edge(IdRange ids) ->
                        Rows.failed(tx, List.of(new Window(source, ids, false)))
                                .forEach(count ->
                                        summary.add(count.connection(), count.status(), count.n()));
            }
        }
        return summary;
    }

    private void add(UUID connection, int status, long n) {
        counts.merge(new Key(connection, status), n, Long::sum);
    }

    private long count(UUID connection, int status) {
        return counts.getOrDefault(new Key(connection, status), 0L);
    }

    /// The newest connection first; of the deleted ones those that have something to show.
    JsonObject json() {
        return JsonObject.items(
                scope.targets().values().stream()
                        .filter(target -> !target.isDeleted() || isAny(target.connection().value()))
                        .map(this::item)
                        .toList());
    }

    private boolean isAny(UUID connection) {
        return count(connection, FAILED) + count(connection, EXHAUSTED) > 0;
    }

    private JsonObject item(Scope.Target target) {
        var connection = target.connection().value();
        return new JsonObject()
                .put("connection_id", connection)
                .put("destination_id", target.destination())
                .put("destination_name", target.destinationName())
                .put("exhausted", count(connection, EXHAUSTED))
                .put("failed", count(connection, FAILED));
    }
}
