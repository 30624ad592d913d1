package dev.sluice.features.metrics;

import java.util.Map;
import java.util.UUID;

/// What each workspace has in the database, counting all nodes. Workspaces that have nothing are
/// left out.
///
/// @param unfinished the number of unfinished deliveries
/// @param streams the number of open streams
/// @param replays the number of unfinished replays
record WorkspaceTotals(
        Map<UUID, Long> unfinished, Map<UUID, Long> streams, Map<UUID, Long> replays) {

    /// Returns the number of unfinished deliveries of all workspaces.
    long allUnfinished() {
        return unfinished.values().stream().mapToLong(n -> n).sum();
    }
}
