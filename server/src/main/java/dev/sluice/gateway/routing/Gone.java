package dev.sluice.gateway.routing;

/// What was deleted, so that nothing can be sent on a connection any more.
public enum Gone {
    CONNECTION,
    DESTINATION
}
