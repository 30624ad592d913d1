package dev.sluice.gateway.filter;

import dev.sluice.platform.json.EffortSpentException;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.json.RawJson;
import dev.sluice.platform.secret.Secret;

import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Builds the JSON report on a filter: whether an event matches each rule, and which value the rule
/// found. Rules are evaluated by the same code as at ingest.
public final class FilterReport {

    /// The maximum length of a value in the report, in characters. Longer values are truncated.
    private static final int MAX_SHOWN_LENGTH = 1000;

    /// Matches one JSON escape; the two escapes of a surrogate pair are matched together.
    private static final Pattern ESCAPE =
            Pattern.compile(
                    "(?i)\\\\u(?:d[89ab][0-9a-f]{2}\\\\u(?=d[c-f])[0-9a-f]{4}|[0-9a-f]{4})|\\\\[^u]");

    private static final Pattern HALF_PAIR = Pattern.compile("(?i)\\\\ud[89a-f][0-9a-f]{2}");

    private final FilterInput input;
    private final Set<String> withheld;

    private record ConditionReport(FilterResult result, JsonObject json) {}

    private FilterReport(FilterInput input, Set<String> withheld) {
        this.input = input;
        this.withheld = withheld;
    }

    /// Returns the report as JSON: `passes`, `operator`, and `rules`, which lists the rules and
    /// groups in the same order as the filter. If the input's effort was too small, `passes` is
    /// null and `is_undecided` is true.
    ///
    /// @param withheld the names of headers that contained a secret; the report shows a mask
    ///   instead of their values
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
            // The report shows no value if the remaining effort is too small to find it.
        }
    }

    private boolean isWithheld(FilterPath path) {
        return path instanceof FilterPath.HeaderPath(_, String name)
                && withheld.stream().anyMatch(name::equalsIgnoreCase);
    }

    private static void show(JsonObject json, JsonValue value) {
        if (value.length() <= MAX_SHOWN_LENGTH) {
            json.put("actual", withoutHalfPairs(value.raw()));
        } else {
            show(json, value.string().orElseGet(() -> value.raw().text()));
        }
    }

    private static void show(JsonObject json, String text) {
        boolean isLong = text.length() > MAX_SHOWN_LENGTH;
        String shown = isLong ? text.substring(0, MAX_SHOWN_LENGTH) : text;
        json.put("actual", withoutHalfPairs(shown));
        if (isLong) {
            json.put("actual_is_cut", true);
        }
    }

    /// Replaces each unpaired surrogate with U+FFFD, including one left by truncation.
    private static String withoutHalfPairs(String text) {
        return text.codePoints()
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xfffd : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /// Replaces each escaped unpaired surrogate with U+FFFD. JSON allows such escapes, but strict
    /// parsers would reject the whole report.
    private static RawJson withoutHalfPairs(RawJson json) {
        return json.text().indexOf('\\') < 0
                ? json
                : new RawJson(
                        ESCAPE.matcher(json.text())
                                .replaceAll(escape ->
                                        Matcher.quoteReplacement(
                                                HALF_PAIR.matcher(escape.group()).matches()
                                                        ? "\\ufffd"
                                                        : escape.group())));
    }
}
