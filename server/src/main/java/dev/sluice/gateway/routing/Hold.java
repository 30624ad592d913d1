package dev.sluice.gateway.routing;

/// Why nothing is sent on a connection for now. What is held waits and loses nothing.
public enum Hold {
    SOURCE_IN_TRASH,
    SOURCE_PAUSED,
    DESTINATION_PAUSED,
    CONNECTION_DISABLED,

    /// Not of the configuration: the destination failed too often, and no probe has succeeded yet.
    CIRCUIT_OPEN
}
