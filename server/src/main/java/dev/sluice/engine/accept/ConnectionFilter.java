package dev.sluice.engine.accept;

import dev.sluice.engine.Payload;
import dev.sluice.engine.share.FilterEvaluator;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterResult;
import dev.sluice.gateway.routing.IngestRoute;
import dev.sluice.gateway.routing.Route;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// Decides which connections get a delivery for an event, and lists the connections whose filters
/// the event does not match.
///
/// All filters evaluated for an event share one effort limit, which grows with the size of the
/// event. A filter that would exceed the limit is left undecided;
/// [dev.sluice.engine.share.FilterDecider] decides it later.
///
/// One instance handles one event, on one thread.
final class ConnectionFilter {

    /// Used if none of the source's connections has a filter. Its list of filtered connections is
    /// always empty, so all events can share it.
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
                var input = FilterInput.atIngest(payload.headers(), payload.body());
                return new ConnectionFilter(input, new ArrayList<>());
            }
        }
        return PASS_ALL;
    }

    FilterResult check(Route route) {
        if (input == null) {
            return FilterResult.PASSES;
        }
        var result = FilterEvaluator.evaluate(route, input);
        if (result == FilterResult.FILTERED) {
            rejecting.add(route.connection().id());
        }
        return result;
    }

    /// Returns the connections whose filter the event did not match, in the order in which they
    /// were checked.
    List<ConnectionId> rejecting() {
        return rejecting;
    }
}
