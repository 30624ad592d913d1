package dev.sluice.gateway.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.EffortSpentException;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.RawJson;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A connection's filter: rules that decide which events the connection receives. Immutable;
/// evaluating it changes only the [FilterInput].
public final class Filter {

    /// A rule or a group of rules.
    sealed interface FilterCondition {}

    /// Compares the value at a path with an operand.
    record FilterRule(FilterPath path, FilterOperator operator, FilterOperand value)
            implements FilterCondition {

        /// @throws EffortSpentException if the input's remaining effort runs out
        boolean passes(FilterInput input) {
            return operator.passes(input.valueAt(path), value, input.effort());
        }
    }

    /// A list of conditions joined by `and` or `or`.
    ///
    /// @param conditions at least one condition, except in [Filter#UNREADABLE]; only the outermost
    ///   group can contain other groups
    record FilterGroup(LogicalOperator join, List<FilterCondition> conditions)
            implements FilterCondition {
        FilterGroup {
            conditions = List.copyOf(conditions);
        }
    }

    enum LogicalOperator {
        AND,
        OR;

        static final Map<String, LogicalOperator> BY_TEXT = Map.of("and", AND, "or", OR);

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// Combines the results of a group's conditions into the group's result.
        FilterResult combine(List<FilterResult> results) {
            var decisive = this == AND ? FilterResult.FILTERED : FilterResult.PASSES;
            if (results.contains(decisive)) {
                return decisive;
            }
            return results.contains(FilterResult.UNDECIDED)
                    ? FilterResult.UNDECIDED
                    : FilterResult.of(this == AND);
        }
    }

    /// Stands in for a stored filter that this node cannot read. All events match it, so that no
    /// event is lost. Their deliveries are created but wait, because the connection is held.
    public static final Filter UNREADABLE =
            new Filter(new FilterGroup(LogicalOperator.AND, List.of()), new RawJson("null"));

    private final FilterGroup root;
    private final RawJson json;

    /// @param json the filter as the user sent it, without the nulls that [FilterParser] ignores
    Filter(FilterGroup root, RawJson json) {
        this.root = root;
        this.json = json;
    }

    /// Parses a stored filter, which was validated when it was saved. Throws an exception if this
    /// version of the server cannot read it.
    public static Filter parseStored(String json) {
        var input = Json.fieldReader(("{\"filter_rules\":" + json + "}").getBytes(UTF_8));
        var filter = FilterParser.read(input);
        input.check();
        return filter.toOptional().orElseThrow();
    }

    public boolean isReadable() {
        return this != UNREADABLE;
    }

    /// Returns whether the event matches the filter, or `UNDECIDED` if the input's remaining effort
    /// is too small to find out.
    public FilterResult evaluate(FilterInput input) {
        if (input.effort().isSpent() && !root.conditions().isEmpty()) {
            // Throwing an exception for each filter would take too long: an event can have a
            // thousand filters.
            return FilterResult.UNDECIDED;
        }
        try {
            return FilterResult.of(passes(root, input));
        } catch (EffortSpentException e) {
            return FilterResult.UNDECIDED;
        }
    }

    private static boolean passes(FilterGroup group, FilterInput input) {
        boolean isAnd = group.join() == LogicalOperator.AND;
        for (var condition : group.conditions()) {
            boolean passes =
                    switch (condition) {
                        case FilterRule rule -> rule.passes(input);
                        case FilterGroup inner -> passes(inner, input);
                    };
            if (passes != isAnd) {
                return passes; // the other conditions cannot change the result
            }
        }
        return isAnd;
    }

    FilterGroup root() {
        return root;
    }

    /// Returns the filter as the user sent it, without the nulls that [FilterParser] ignores.
    public RawJson json() {
        return json;
    }
}
