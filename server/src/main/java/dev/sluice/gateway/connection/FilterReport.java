package dev.sluice.gateway.connection;

import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.secret.Secret;

import java.util.Set;

/// Says of each rule of a filter whether an event passes it, and what was found. It is judged by
/// the same code as at ingest.
public final class FilterReport {

    /// Of what was found; more is cut off.
    private static final int MOST_SHOWN = 1000;

    private final FilterSubject subject;
    private final Set<String> withheld;

    private FilterReport(FilterSubject subject, Set<String> withheld) {
        this.subject = subject;
        this.withheld = withheld;
    }

    /// `passes`, `operator` and `rules`, which has rules and groups in their order.
    ///
    /// @param withheld names of headers that carried a secret; they show the mask
    public static JsonObject of(Filter filter, FilterSubject subject, Set<String> withheld) {
        return new FilterReport(subject, withheld).group(filter.root());
    }

    private JsonObject group(Filter.Group group) {
        return new JsonObject()
                .put("passes", Filter.passes(group, subject))
                .put("operator", group.join().text())
                .put("rules", group.conditions().stream().map(this::condition).toList());
    }

    private JsonObject condition(Filter.Condition condition) {
        return switch (condition) {
            case Filter.Group group -> group(group);
            case Filter.Rule rule -> rule(rule);
        };
    }

    private JsonObject rule(Filter.Rule rule) {
        var json =
                new JsonObject()
                        .put("path", rule.path().text())
                        .put("op", rule.operator().text())
                        .put("value", rule.value().json().raw())
                        .put("passes", Filter.passes(rule, subject));
        switch (subject.at(rule.path())) {
            case FilterSubject.Found.Nothing() -> {}
            case FilterSubject.Found.InHeaders(String value) ->
                    show(json, isWithheld(rule.path()) ? Secret.MASK : value);
            case FilterSubject.Found.InBody(var value) -> show(json, value);
        }
        return json;
    }

    private boolean isWithheld(FilterPath path) {
        return path instanceof FilterPath.Header(_, String name)
                && withheld.stream().anyMatch(name::equalsIgnoreCase);
    }

    private static void show(JsonObject json, JsonValue value) {
        if (value.length() <= MOST_SHOWN) {
            json.put("actual", value.raw());
        } else {
            show(json, value.string().orElseGet(() -> value.raw().text()));
        }
    }

    private static void show(JsonObject json, String text) {
        boolean isLong = text.length() > MOST_SHOWN;
        json.put("actual", isLong ? text.substring(0, MOST_SHOWN) : text);
        if (isLong) {
            json.put("actual_is_cut", true);
        }
    }
}
