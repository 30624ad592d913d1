package dev.sluice.gateway.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.RawJson;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A connection's filter: rules that decide which events the connection receives. Immutable;
/// evaluating it has no side effects.
public final class Filter {

    /// A rule or a group of rules.
    sealed interface FilterCondition {}

    /// Compares the value at a path with an operand.
    record FilterRule(FilterPath path, FilterOperator operator, FilterOperand value)
            implements FilterCondition {}

    /// A list of conditions joined by `and` or `or`.
    ///
    /// @param conditions at least one; only the outermost group may contain other groups
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
    }

    /// Stands for a stored filter that this node cannot read. All events match it: they are stored
    /// for the connection, which is held.
    public static final Filter UNREADABLE =
            new Filter(new FilterGroup(LogicalOperator.AND, List.of()), new RawJson("null"));

    private final FilterGroup root;
    private final RawJson json;

    /// @param json as the user sent it
    Filter(FilterGroup root, RawJson json) {
        this.root = root;
        this.json = json;
    }

    /// Parses a filter read from the database. It was validated when it was saved.
    public static Filter parseStored(String json) {
        var input = Json.fieldReader(("{\"filter_rules\":" + json + "}").getBytes(UTF_8));
        var filter = FilterParser.read(input);
        input.check();
        return filter.toOptional().orElseThrow();
    }

    public boolean isReadable() {
        return this != UNREADABLE;
    }

    public boolean matches(FilterInput input) {
        return passes(root, input);
    }

    static boolean passes(FilterCondition condition, FilterInput input) {
        return switch (condition) {
            case FilterRule(var path, var operator, var value) ->
                    operator.passes(input.valueAt(path), value);
            case FilterGroup(var join, var conditions) ->
                    switch (join) {
                        case AND -> conditions.stream().allMatch(each -> passes(each, input));
                        case OR -> conditions.stream().anyMatch(each -> passes(each, input));
                    };
        };
    }

    FilterGroup root() {
        return root;
    }

    /// Returns the filter exactly as the user sent it.
    public RawJson json() {
        return json;
    }
}
