package dev.sluice.features.retention;

import dev.sluice.engine.lanes.LanePruneStore;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.ConnectionQueries;
import dev.sluice.gateway.connection.ConnectionStore;
import dev.sluice.gateway.connection.ReplacedConnectionStore;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.destination.ReplacedDestinationStore;
import dev.sluice.gateway.source.ReplacedSourceStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.TrashStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.Tx;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/// Removes deleted configuration from the database once no history refers to it: purged sources
/// with their connections and usage sums, deleted connections that never had a delivery, and
/// deleted destinations without connections. Also removes empty lanes, and replaced settings that
/// no stored attempt needs.
///
/// A row that can be removed now can also be removed later. Each step may therefore stop at any
/// point and run again, even on two nodes at once.
final class ConfigurationPruner {

    private static final Logger log = LoggerFactory.getLogger(ConfigurationPruner.class);

    /// The time after a deletion during which nodes may still finish deliveries that they have in
    /// memory.
    static final Duration GRACE_PERIOD = Duration.ofDays(1);

    /// The maximum number of rows checked in one transaction.
    private static final int CHUNK_SIZE = 500;

    /// The maximum number of sources removed in one transaction. Each source can have a thousand
    /// connections.
    private static final int SOURCES_PER_REMOVAL = 20;

    private static final int DELETE_BATCH_ROWS = 5_000;

    /// How long the pruner keeps checking, after the grace period, whether stored attempts still
    /// need the replaced settings. Settings that are still needed when this period ends are not
    /// checked again, because the attempts that need them are stored until their day's partition is
    /// dropped.
    private static final Duration REVISION_CHECK_PERIOD = Duration.ofDays(2);

    private static final UUID BEFORE_ALL = new UUID(0, 0);
    private static final UUID AFTER_ALL = new UUID(-1, -1);

    private final Db db;

    ConfigurationPruner(Db db) {
        this.db = db;
    }

    void prune(Instant now) {
        var before = now.minus(GRACE_PERIOD);
        var parts = new RoundParts();
        parts.run(this::pruneLanes);
        parts.run(() -> {
            if (db.call(tx -> RetentionQueries.isFolded(tx, before))) {
                pruneConfiguration(before, parts);
            }
        });
        parts.end();
    }

    /// Removes configuration that was deleted before the given time. All usage from before that
    /// time must already have been moved from the ledger to the sums. A source or connection whose
    /// usage was still only in the ledger would seem to have no history.
    private void pruneConfiguration(Instant before, RoundParts parts) {
        parts.run(() ->
                report(
                        "sources",
                        forEachChunk(
                                after ->
                                        db.call(tx ->
                                                TrashStore.purgedBefore(
                                                        tx, before, after, CHUNK_SIZE)),
                                SourceId::value,
                                this::pruneSources)));
        parts.run(() ->
                report(
                        "connections",
                        forEachChunk(
                                after ->
                                        db.call(tx ->
                                                ConnectionQueries.deletedBefore(
                                                        tx, before, after, CHUNK_SIZE)),
                                ConnectionId::value,
                                this::pruneConnections)));
        parts.run(() ->
                report(
                        "destinations",
                        forEachChunk(
                                after ->
                                        db.call(tx ->
                                                DestinationStore.deletedBefore(
                                                        tx, before, after, CHUNK_SIZE)),
                                DestinationId::value,
                                this::pruneDestinations)));
        parts.run(() -> report("revisions", pruneRevisions(before)));
    }

    private static void report(String kind, int removed) {
        if (removed > 0) {
            log.atInfo()
                    .addKeyValue("kind", kind)
                    .addKeyValue("rows", removed)
                    .log("configuration.pruned");
        }
    }

    /// Calls `prune` with each chunk of ids, in order. Returns the sum of the results.
    private static <T> int forEachChunk(
            Function<UUID, List<T>> read, Function<T, UUID> id, ToIntFunction<List<T>> prune) {
        int sum = 0;
        var chunk = read.apply(BEFORE_ALL);
        while (!chunk.isEmpty()) {
            sum += prune.applyAsInt(chunk);
            chunk = chunk.size() < CHUNK_SIZE ? List.of() : read.apply(id.apply(chunk.getLast()));
        }
        return sum;
    }

    private int pruneSources(List<SourceId> purged) {
        var unnamed = db.call(tx -> RetentionQueries.unnamed(tx, purged));
        int removed = 0;
        for (int from = 0; from < unnamed.size(); from += SOURCES_PER_REMOVAL) {
            removed +=
                    remove(
                            unnamed.subList(
                                    from, Math.min(unnamed.size(), from + SOURCES_PER_REMOVAL)));
        }
        return removed;
    }

    private int remove(List<SourceId> sources) {
        var connections = db.call(tx -> ConnectionQueries.allOf(tx, sources));
        var keys =
                Stream.concat(
                                sources.stream().map(SourceId::value),
                                connections.stream().map(ConnectionId::value))
                        .toList();
        while (db.call(tx -> LedgerStore.deleteSums(tx, keys, DELETE_BATCH_ROWS)) > 0) {
            // The loop repeats until nothing is left.
        }
        return db.call(tx -> {
            LanePruneStore.deleteOf(tx, connections);
            ConnectionStore.remove(tx, connections);
            return TrashStore.remove(tx, sources);
        });
    }

    private int pruneConnections(List<ConnectionId> deleted) {
        return db.call(tx -> {
            var unused = RetentionQueries.unused(tx, deleted);
            LanePruneStore.deleteOf(tx, unused);
            return ConnectionStore.remove(tx, unused);
        });
    }

    /// Removes the destinations that no connection refers to. Connections left over after their
    /// destination was deleted are only marked as deleted here. A later round removes the ones that
    /// never had a delivery.
    private int pruneDestinations(List<DestinationId> deleted) {
        return db.call(tx -> {
            ConnectionStore.endLeftOver(tx, deleted);
            return DestinationStore.remove(tx, deleted);
        });
    }

    private int pruneRevisions(Instant before) {
        var from = before.minus(REVISION_CHECK_PERIOD);
        return removeAll(tx ->
                ReplacedDestinationStore.removeUnnamed(tx, from, before, DELETE_BATCH_ROWS))
                + removeAll(tx ->
                        ReplacedConnectionStore.removeUnnamed(tx, from, before, DELETE_BATCH_ROWS))
                + removeAll(tx ->
                        ReplacedSourceStore.removeUnnamed(tx, from, before, DELETE_BATCH_ROWS));
    }

    /// Calls `removeBatch` until it removes less than a full batch. Returns the total number of
    /// removed rows.
    private int removeAll(Function<Tx, Integer> removeBatch) {
        int sum = 0;
        int removed = DELETE_BATCH_ROWS;
        while (removed == DELETE_BATCH_ROWS) {
            removed = db.call(removeBatch);
            sum += removed;
        }
        return sum;
    }

    private void pruneLanes() {
        var after = BEFORE_ALL;
        var last = Optional.of(BEFORE_ALL);
        while (last.isPresent()) {
            var from = after;
            last = db.call(tx -> LanePruneStore.endOfChunk(tx, from, CHUNK_SIZE));
            var to = last.orElse(AFTER_ALL);
            db.call(tx -> LanePruneStore.deleteEmpty(tx, from, to));
            after = to;
        }
    }
}
