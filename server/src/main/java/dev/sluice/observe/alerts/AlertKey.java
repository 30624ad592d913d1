package dev.sluice.observe.alerts;

import java.util.UUID;

/// Identifies an [AlertIncident]: the target that gets the alerts, and the destination they are
/// about. Alerts about settings of a source are about the source instead.
///
/// @param target identifies the mailbox, chat or URL; see
///   [dev.sluice.gateway.alertconfig.AlertConfig#target()]
/// @param destination the id of the destination or source, or the workspace's id for the one
///   incident that counts all of them without an incident of their own
record AlertKey(UUID workspace, UUID target, UUID destination) {

    /// Returns the key of the incident that counts all destinations without an incident of their
    /// own.
    AlertKey rest() {
        return new AlertKey(workspace, target, workspace);
    }

    boolean isRest() {
        return destination.equals(workspace);
    }
}
