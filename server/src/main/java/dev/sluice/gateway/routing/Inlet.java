package dev.sluice.gateway.routing;

import dev.sluice.gateway.source.Source;

import java.util.List;

/// A source as ingest sees it: with the enabled connections its events go to, in the order they
/// were made.
public record Inlet(Source source, List<Route> routes) {

    public Inlet {
        routes = List.copyOf(routes);
    }
}
