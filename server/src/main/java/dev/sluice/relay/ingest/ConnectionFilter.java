package dev.sluice.relay.ingest;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.routing.IngestRoute;
import dev.sluice.gateway.routing.Route;
import dev.sluice.relay.Payload;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;

/// Decides which connections get a delivery of an event, and lists those whose filter the event
/// does not match.
///
/// One instance handles one event, on one thread.
final class ConnectionFilter {

    private static final Logger log = LoggerFactory.getLogger(ConnectionFilter.class);

    /// Used for sources without any filter. Its list of filtered connections is always empty, so
    /// all events can share it.
    private static final ConnectionFilter PASS_ALL = new ConnectionFilter(null, List.of());

    private final @Nullable FilterInput input;
    private final List<ConnectionId> rejecting;

    private ConnectionFilter(@Nullable FilterInput input, List<ConnectionId> filtered) {
        this.input = input;
        this.rejecting = filtered;
    }

    static ConnectionFilter of(IngestRoute ingestRoute, Payload payload) {
        for (var route : ingestRoute.routes()) {
            if (route.connection().filter().isPresent()) {
                var input = new FilterInput(payload.headers(), payload.body());
                return new ConnectionFilter(input, new ArrayList<>());
            }
        }
        return PASS_ALL;
    }

    boolean check(Route route) {
        if (input == null) {
            return true;
        }
        var filter = route.connection().filter();
        boolean passes = filter.isEmpty() || matches(route, filter.get(), input);
        if (!passes) {
            rejecting.add(route.connection().id());
        }
        return passes;
    }

    /// Whether the event matches the filter. A filter that crashes counts as matched, because an
    /// unwanted delivery is better than a lost event.
    private static boolean matches(Route route, Filter filter, FilterInput input) {
        try {
            return filter.matches(input);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("connection_id", route.connection().id())
                    .setCause(e)
                    .log("filter.crashed");
            return true;
        }
    }

    /// Returns the connections whose filter the event did not match, in the order in which they
    /// were checked.
    List<ConnectionId> rejecting() {
        return rejecting;
    }
}
