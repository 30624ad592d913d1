package dev.sluice.observe.alerts;

import java.util.Comparator;
import java.util.UUID;

/// A target that is told about a destination.
///
/// @param target where channels send to; see [dev.sluice.gateway.alertconfig.AlertConfig#target()]
record AlertKey(UUID workspace, UUID target, UUID destination) {

    /// The order in which transactions lock incidents.
    static final Comparator<AlertKey> LOCK_ORDER =
            Comparator.comparing(AlertKey::target).thenComparing(AlertKey::destination);
}
