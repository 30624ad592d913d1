package dev.sluice.gateway.routing;

import dev.sluice.gateway.source.Source;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// A source and its enabled connections, in the form that ingest needs. Immutable.
///
/// @param routes the routes of the enabled connections, in the order in which they were created
/// @param isSuspended whether the source's workspace is suspended
/// @param endsAt when this route's token expires; [Instant#MAX] for the source's current token
public record IngestRoute(Source source, List<Route> routes, boolean isSuspended, Instant endsAt) {

    public IngestRoute {
        routes = List.copyOf(routes);
    }

    /// Creates the route for the current token of a source whose workspace is not suspended. The
    /// token does not expire.
    public IngestRoute(Source source, List<Route> routes) {
        this(source, routes, false, Instant.MAX);
    }

    /// Whether this route's token is still valid. Reads the clock only if the token was replaced.
    public boolean isOpen(InstantSource clock) {
        return endsAt.equals(Instant.MAX) || clock.instant().isBefore(endsAt);
    }
}
