package dev.sluice.gateway.routing;

import java.util.Locale;

/// A reason to hold a connection's deliveries. Held deliveries wait; they are not lost.
public enum HoldReason {
    /// The operator has suspended the workspace.
    WORKSPACE_SUSPENDED,
    SOURCE_IN_TRASH,
    SOURCE_PAUSED,
    DESTINATION_PAUSED,
    CONNECTION_DISABLED,

    /// This node cannot read some of the destination's settings, for example its authentication.
    DESTINATION_UNREADABLE,

    /// This node cannot read the connection's filter or transformation.
    CONNECTION_UNREADABLE,

    /// The destination's circuit is open: too many attempts failed, and no probe (a trial attempt)
    /// has succeeded since then. Unlike the other reasons, this one does not come from the
    /// configuration.
    CIRCUIT_OPEN;

    /// Returns the name that the API uses.
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
