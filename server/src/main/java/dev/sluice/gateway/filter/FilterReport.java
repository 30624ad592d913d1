package dev.sluice.gateway.filter;

import dev.sluice.platform.json.EffortSpentException;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.secret.Secret;

import java.util.ArrayList;
import java.util.Optional;
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

    private record ConditionReport(FilterResult result, JsonObject json) {}

    private FilterReport(FilterInput input, Set<String> withheld) {
        this.input = input;
        this.withheld = withheld;
    }

    /// Returns the report as JSON: `passes`, `operator`, and `rules`, which lists rules and groups
    /// in their order. `passes` is null, and `is_undecided` true, where the input's effort did not
    /// suffice.
    ///
    /// @param withheld the names of headers that contained a secret; the report shows the mask
    ///   instead
    public static JsonObject of(Filter filter, FilterInput input, Set<String> withheld) {
        return new FilterReport(input, withheld).group(filter.root()).json();
    }

    private ConditionReport group(Filter.FilterGroup group) {
        var results = new ArrayList<FilterResult>();
        var rules = new ArrayList<JsonObject>();
        for (var condition : group.conditions()) {
            var report =
                    switch (condition) {
                        case Filter.FilterGroup inner -> group(inner);
                        case Filter.FilterRule rule -> rule(rule);
                    };
            results.add(report.result());
            rules.add(report.json());
        }
        var result = group.join().combine(results);
        var json = new JsonObject();
        putResult(json, result);
        return new ConditionReport(
                result, json.put("operator", group.join().text()).put("rules", rules));
    }

    private ConditionReport rule(Filter.FilterRule rule) {
        var json =
                new JsonObject()
                        .put("path", rule.path().text())
                        .put("op", rule.operator().text())
                        .put("value", rule.value().json().raw());
        var result = evaluate(rule);
        putResult(json, result);
        putActual(json, rule.path());
        return new ConditionReport(result, json);
    }

    private FilterResult evaluate(Filter.FilterRule rule) {
        try {
            return FilterResult.of(rule.passes(input));
        } catch (EffortSpentException e) {
            return FilterResult.UNDECIDED;
        }
    }

    private static void putResult(JsonObject json, FilterResult result) {
        switch (result) {
            case PASSES -> json.put("passes", true);
            case FILTERED -> json.put("passes", false);
            case UNDECIDED -> json.put("passes", Optional.empty()).put("is_undecided", true);
        }
    }

    private void putActual(JsonObject json, FilterPath path) {
        try {
            switch (input.valueAt(path)) {
                case FilterInput.PathValue.MissingPathValue() -> {}
                case FilterInput.PathValue.HeaderPathValue(String value) ->
                        show(json, isWithheld(path) ? Secret.MASK : value);
                case FilterInput.PathValue.BodyPathValue value -> show(json, value.json());
            }
        } catch (EffortSpentException e) {
            // The report says that the rule is undecided, and shows no value.
        }
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
