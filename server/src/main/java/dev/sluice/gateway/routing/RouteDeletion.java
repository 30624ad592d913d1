package dev.sluice.gateway.routing;

/// The deletion that permanently ended a connection: the deletion of the connection itself, or of
/// its destination.
public enum RouteDeletion {
    CONNECTION,
    DESTINATION
}
