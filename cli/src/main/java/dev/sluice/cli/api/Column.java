package dev.sluice.cli.api;

import tools.jackson.databind.JsonNode;

import java.util.stream.Collectors;

/// One value of an item, shown as a column of a table or as a line of a record.
///
/// @param path the path to the value in the item: field names joined by dots
public record Column(String title, String path) {

    /// Creates a column whose title is the path of its value.
    public static Column of(String path) {
        return new Column(path, path);
    }

    public String text(JsonNode item) {
        var value = item;
        for (String step : path.split("\\.", -1)) {
            value = value.path(step);
        }
        return text(value, value.isString() ? value.asString() : value.toString());
    }

    private static String text(JsonNode value, String otherwise) {
        if (value.isNull() || value.isMissingNode()) {
            return "-";
        }
        if (value.isBoolean()) {
            return value.booleanValue() ? "yes" : "no";
        }
        if (value.isArray()) {
            return value.valueStream()
                    .map(item -> text(item, item.isString() ? item.asString() : item.toString()))
                    .collect(Collectors.joining(", "));
        }
        return otherwise;
    }
}
