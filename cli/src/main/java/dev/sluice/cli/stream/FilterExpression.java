package dev.sluice.cli.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.JsonTree;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Converts filters typed by a user into JSON in the format of a connection's `filter_rules`. The
/// server checks paths, operators and values.
public final class FilterExpression {

    private static final Pattern RULE =
            Pattern.compile("(\\S+)\\s+([a-z]+)(?:\\s+(.+))?", Pattern.DOTALL);

    private FilterExpression() {}

    /// @param given rules such as `body.type eq order.created`, and rules or groups written as
    ///   JSON; an event must pass all of them
    /// @return the filter, or empty if `given` is empty
    /// @throws CommandException if a rule or group is invalid
    public static Optional<JsonNode> parse(List<String> given) {
        var parts = given.stream().map(text -> part(text.strip())).toList();
        if (parts.size() == 1 && !parts.getFirst().has("path")) {
            return Optional.of(parts.getFirst());
        }
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        var group = JsonTree.object().put("operator", "and");
        group.putArray("rules").addAll(parts);
        return Optional.of(group);
    }

    private static ObjectNode part(String text) {
        if (text.startsWith("{")) {
            return JsonTree.tryRead(text.getBytes(UTF_8))
                    .map(JsonNode::asObject)
                    .orElseThrow(() ->
                            CommandException.usage(
                                    "--filter is no JSON object.",
                                    "Such as '{\"operator\": \"or\", \"rules\": [...]}'; or leave"
                                            + " out the braces: 'body.type eq order.created'."));
        }
        var rule = RULE.matcher(text);
        if (!rule.matches()) {
            throw CommandException.usage(
                    "'" + text + "' is not a filter.",
                    "Write --filter 'body.type eq order.created', or the filter_rules as JSON.");
        }
        return rule(rule.group(1), rule.group(2), rule.group(3));
    }

    private static ObjectNode rule(String path, String operator, @Nullable String value) {
        var rule = JsonTree.object().put("path", path).put("op", operator);
        if (value == null) {
            return rule;
        }
        // Header values are text, so a value such as `7` must not become a number. For headers,
        // only the `exists` operator takes a boolean.
        boolean isText = path.startsWith("headers.") && !operator.equals("exists");
        if (operator.equals("in") && !value.startsWith("[")) {
            var list = rule.putArray("value");
            for (String element : value.split(",", -1)) {
                list.add(value(element.strip(), isText));
            }
            return rule;
        }
        rule.set("value", value(value, isText));
        return rule;
    }

    /// Converts a value. Valid JSON is read as JSON, so `7` is a number and `"7"` is text. Anything
    /// else is text. If `isText`, numbers, booleans and null are also read as text.
    private static JsonNode value(String text, boolean isText) {
        var json = JsonTree.tryRead(text.getBytes(UTF_8));
        boolean isJson =
                json.filter(node -> !isText || node.isString() || node.isContainer()).isPresent();
        return isJson ? json.get() : JsonTree.object().stringNode(text);
    }
}
