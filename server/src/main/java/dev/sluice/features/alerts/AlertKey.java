package dev.sluice.features.alerts;

import java.util.UUID;

/// Identifies an [AlertIncident] by the target that gets the alerts and the destination that the
/// alerts are about. For alerts about a source's settings, the source takes the place of the
/// destination.
///
/// @param target identifies the mailbox, chat or URL; see
///   [dev.sluice.gateway.alertconfig.AlertConfig#target()]
/// @param destination the id of the destination or source. If this is the workspace's id, the key
///   identifies the shared incident, which covers all destinations that have no separate incident
record AlertKey(UUID workspace, UUID target, UUID destination) {

    private static final UUID NO_DESTINATION = new UUID(0, 0);

    /// Returns the key of a message about the target itself, which belongs to no incident.
    static AlertKey ofTarget(UUID workspace, UUID target) {
        return new AlertKey(workspace, target, NO_DESTINATION);
    }

    boolean isOfTarget() {
        return destination.equals(NO_DESTINATION);
    }

    /// Returns the key of the shared incident, which covers all destinations that have no separate
    /// incident.
    AlertKey rest() {
        return new AlertKey(workspace, target, workspace);
    }

    boolean isRest() {
        return destination.equals(workspace);
    }
}
