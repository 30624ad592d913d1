package dev.sluice.gateway.routing;

/// Which deletion permanently ended a connection: that of the connection itself or of its
/// destination.
public enum RouteDeletion {
    CONNECTION,
    DESTINATION
}
