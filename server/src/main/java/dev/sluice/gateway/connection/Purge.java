package dev.sluice.gateway.connection;

import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ConfigurationChange;
import dev.sluice.gateway.source.TrashStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;

/// Purges the sources whose days in the trash are over, with their connections. What still waits
/// there ends, as after the deletion of a connection; stored bytes leave with their partitions.
public final class Purge implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Purge.class);

    private final Db db;
    private final ConfigurationChange change;
    private final InstantSource clock;

    public Purge(Db db, ConfigurationChange change, InstantSource clock) {
        this.db = db;
        this.change = change;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        if (db.call(tx -> TrashStore.isAnyDue(tx, now))) {
            int purged =
                    db.call(tx -> {
                        long version = WorkspaceStore.nextVersion(tx);
                        var sources = TrashStore.purge(tx, now, version);
                        ConnectionStore.purge(tx, sources, now, version);
                        return sources.size();
                    });
            log.atInfo().addKeyValue("sources", purged).log("trash.purged");
            change.committed();
        }
        return false;
    }
}
