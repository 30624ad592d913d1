package dev.sluice.engine.share;

import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterResult;
import dev.sluice.gateway.routing.Route;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Evaluates a connection's filter.
public final class FilterEvaluator {

    private static final Logger log = LoggerFactory.getLogger(FilterEvaluator.class);

    private FilterEvaluator() {}

    /// Returns whether the event matches the route's filter, or `UNDECIDED` if finding out would
    /// take more effort than `input` allows. An event matches if there is no filter. If evaluating
    /// the filter crashes, the event counts as matching, because an unwanted delivery is better
    /// than a lost event.
    public static FilterResult evaluate(Route route, FilterInput input) {
        var filter = route.connection().filter();
        try {
            return filter.isEmpty() ? FilterResult.PASSES : filter.get().evaluate(input);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("connection_id", route.connection().id())
                    .setCause(e)
                    .log("filter.crashed");
            return FilterResult.PASSES;
        }
    }
}
