package dev.sluice.relay.ingest;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.Filter;
import dev.sluice.gateway.connection.FilterSubject;
import dev.sluice.gateway.routing.Inlet;
import dev.sluice.gateway.routing.Route;
import dev.sluice.relay.Payload;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;

/// Holds one event against the filters of its connections. Owned by one thread.
final class Sieve {

    private static final Logger log = LoggerFactory.getLogger(Sieve.class);

    /// For sources without any filter: keeps nothing back, so all share it.
    private static final Sieve OPEN = new Sieve(null, List.of());

    private final @Nullable FilterSubject subject;
    private final List<ConnectionId> filtered;

    private Sieve(@Nullable FilterSubject subject, List<ConnectionId> filtered) {
        this.subject = subject;
        this.filtered = filtered;
    }

    static Sieve of(Inlet inlet, Payload payload) {
        for (var route : inlet.routes()) {
            if (route.connection().filter().isPresent()) {
                var subject = new FilterSubject(payload.headers(), payload.body());
                return new Sieve(subject, new ArrayList<>());
            }
        }
        return OPEN;
    }

    boolean passes(Route route) {
        if (subject == null) {
            return true;
        }
        var filter = route.connection().filter();
        boolean passes = filter.isEmpty() || matches(route, filter.get(), subject);
        if (!passes) {
            filtered.add(route.connection().id());
        }
        return passes;
    }

    /// By a bug in a filter an event may be delivered that was not wanted; none is lost.
    private static boolean matches(Route route, Filter filter, FilterSubject subject) {
        try {
            return filter.matches(subject);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("connection_id", route.connection().id())
                    .setCause(e)
                    .log("filter.crashed");
            return true;
        }
    }

    /// The connections that did not let it pass, in the order they were asked.
    List<ConnectionId> filtered() {
        return filtered;
    }
}
