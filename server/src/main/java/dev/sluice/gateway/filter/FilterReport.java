package dev.sluice.gateway.filter;

import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.secret.Secret;

import java.util.Set;

/// Builds the JSON report on a filter: whether an event matches each rule, and which value the rule
/// found.
///
/// Rules are evaluated by the same code as at ingest.
public final class FilterReport {

    /// The maximum number of characters shown of a value. Longer values are truncated.
    private static final int MAX_SHOWN_LENGTH = 1000;

    private final FilterInput input;
    private final Set<String> withheld;

    private FilterReport(FilterInput input, Set<String> withheld) {
        this.input = input;
        this.withheld = withheld;
    }

    /// Returns the report as JSON: `passes`, `operator`, and `rules`, which lists rules and groups
    /// in their order.
    ///
    /// @param withheld the names of headers that contained a secret; the report shows the mask
    ///   instead
    public static JsonObject of(Filter filter, FilterInput input, Set<String> withheld) {
        return new FilterReport(input, withheld).group(filter.root());
    }

    private JsonObject group(Filter.FilterGroup group) {
        return new JsonObject()
                .put("passes", Filter.passes(group, input))
                .put("operator", group.join().text())
                .put("rules", group.conditions().stream().map(this::condition).toList());
    }

    private JsonObject condition(Filter.FilterCondition condition) {
        return switch (condition) {
            case Filter.FilterGroup group -> group(group);
            case Filter.FilterRule rule -> rule(rule);
        };
    }

    private JsonObject rule(Filter.FilterRule rule) {
        var json =
                new JsonObject()
                        .put("path", rule.path().text())
                        .put("op", rule.operator().text())
                        .put("value", rule.value().json().raw())
                        .put("passes", Filter.passes(rule, input));
        switch (input.valueAt(rule.path())) {
            case FilterInput.PathValue.MissingPathValue() -> {}
            case FilterInput.PathValue.HeaderPathValue(String value) ->
                    show(json, isWithheld(rule.path()) ? Secret.MASK : value);
            case FilterInput.PathValue.BodyPathValue(var value) -> show(json, value);
        }
        return json;
    }

    private boolean isWithheld(FilterPath path) {
        return path instanceof FilterPath.HeaderPath(_, String name)
                && withheld.stream().anyMatch(name::equalsIgnoreCase);
    }

    private static void show(JsonObject json, JsonValue value) {
        if (value.length() <= MAX_SHOWN_LENGTH) {
            json.put("actual", value.raw());
        } else {
            show(json, value.string().orElseGet(() -> value.raw().text()));
        }
    }

    private static void show(JsonObject json, String text) {
        boolean isLong = text.length() > MAX_SHOWN_LENGTH;
        json.put("actual", isLong ? text.substring(0, MAX_SHOWN_LENGTH) : text);
        if (isLong) {
            json.put("actual_is_cut", true);
        }
    }
}
