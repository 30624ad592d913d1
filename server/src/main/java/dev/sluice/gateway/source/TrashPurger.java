package dev.sluice.gateway.source;

import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Halving;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// Purges the sources that have been in the trash for seven days, together with their connections
/// and alert configs. [TrashStore] contains the SQL.
///
/// A source that cannot be purged does not prevent the others from being purged. A round purges a
/// limited number of sources, because other configuration changes have to wait while it purges
/// them.
///
/// Deliveries that are still waiting on the connections of purged sources end as if the connections
/// had been deleted. Stored payloads are deleted later, when their partitions are dropped.
public final class TrashPurger implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(TrashPurger.class);

    private static final int CHUNK_SIZE = 500;

    /// Purges the rows that belong to the purged sources, in the transaction that purges the
    /// sources.
    @FunctionalInterface
    public interface DependentPurge {

        /// @param version the configuration version that the purge creates
        void purge(Tx tx, List<SourceId> sources, Instant now, long version);
    }

    private final Db db;
    private final DependentPurge connections;
    private final ConfigurationWriter configuration;
    private final InstantSource settledClock;

    /// @param settledClock the clock for decisions that cannot be undone
    public TrashPurger(
            Db db,
            DependentPurge connections,
            ConfigurationWriter configuration,
            InstantSource settledClock) {
        this.db = db;
        this.connections = connections;
        this.configuration = configuration;
        this.settledClock = settledClock;
    }

    @Override
    public boolean run() {
        var now = settledClock.instant();
        var due = db.call(tx -> TrashStore.purgeDue(tx, now, CHUNK_SIZE));
        var failed = Halving.run(due, part -> purge(part, now));
        failed.forEach((source, e) ->
                log.atError()
                        .addKeyValue("source_id", source)
                        .setCause(e)
                        .log("source.purge_failed"));
        if (due.size() > failed.size()) {
            log.atInfo().addKeyValue("sources", due.size() - failed.size()).log("trash.purged");
        }
        return failed.isEmpty() && due.size() == CHUNK_SIZE;
    }

    private void purge(List<SourceId> due, Instant now) {
        configuration.write((tx, version) -> {
            var sources = TrashStore.purge(tx, due, now, version);
            ReplacedSourceStore.removeOf(tx, sources);
            connections.purge(tx, sources, now, version);
            return sources.size();
        });
    }
}
