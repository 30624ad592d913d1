package dev.sluice.features.recovery;

import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.List;

/// Wakes the lanes ([Lane]) in which new resends are waiting, so that the resends are sent
/// immediately instead of after the next sweep ([dev.sluice.engine.lanes.LaneSweeper]).
///
/// @param backlog called when lanes have been woken
record ResendWaker(Db db, Wake backlog) {

    private static final Logger log = LoggerFactory.getLogger(ResendWaker.class);

    void wake(SourceId source, List<ConnectionId> connections, Instant now) {
        try {
            db.run(tx ->
                    LaneStore.wake(
                            tx,
                            connections.stream()
                                    .map(connection ->
                                            new LaneStore.LaneWake(
                                                    new Lane(connection, Trigger.RESEND, source),
                                                    now))
                                    .toList()));
        } finally {
            backlog.wake(); // the reply to a commit may be lost
        }
    }

    /// Does the same as [#wake], but only logs a database failure. The resends are already stored
    /// and the next sweep finds them, so the request must not fail.
    void tryWake(SourceId source, List<ConnectionId> connections, Instant now) {
        try {
            wake(source, connections, now);
        } catch (DbException e) {
            log.atWarn().setCause(e).log("resend.wake_failed");
        }
    }
}
