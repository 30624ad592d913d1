package dev.sluice.observe.alerts;

import java.util.UUID;

/// A target that is told about a destination, or about the rest of its workspace's destinations.
///
/// @param target where channels send to; see [dev.sluice.gateway.alertconfig.AlertConfig#target()]
/// @param destination the workspace's id for those that have no incident of their own
record AlertKey(UUID workspace, UUID target, UUID destination) {

    /// Returns the key of the incident for all destinations that have none of their own.
    AlertKey rest() {
        return new AlertKey(workspace, target, workspace);
    }

    boolean isRest() {
        return destination.equals(workspace);
    }
}
