package dev.sluice.gateway.routing;

import dev.sluice.gateway.source.Source;

import java.util.List;

/// A source and its enabled connections, in the form that ingest needs. Immutable.
///
/// @param routes the routes of the enabled connections, in the order in which they were created
public record IngestRoute(Source source, List<Route> routes) {

    public IngestRoute {
        routes = List.copyOf(routes);
    }
}
