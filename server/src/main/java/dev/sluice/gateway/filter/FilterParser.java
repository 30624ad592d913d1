package dev.sluice.gateway.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.json.RawJson;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Parses a connection's `filter_rules` field. Invalid fields are recorded as errors in the
/// [FieldReader].
public final class FilterParser {

    private static final int MAX_RULES = 50;
    private static final int MAX_VALUE_BYTES = 8192;
    private static final int MAX_LIST_VALUES = 100;

    /// The fields that only groups have. Some clients use one type for rules and groups, and send
    /// null for fields of the other kind. The parser ignores those nulls.
    private static final List<String> GROUP_FIELDS = List.of("rules", "operator");

    private static final List<String> RULE_FIELDS = List.of("path", "op", "value");

    private static final JsonValue JSON_TRUE =
            JsonDocument.read("true".getBytes(UTF_8)).orElseThrow().root();

    /// The number of rules read so far. Parsing stops after the first rule that exceeds the limit.
    private int ruleCount;

    /// Whether a rule had a group field that was null, or a group had a rule field that was null.
    private boolean hasIgnoredNulls;

    private FilterParser() {}

    /// @param input the JSON object that describes the connection
    public static Patch<Filter> read(FieldReader input) {
        return read(input, "filter_rules");
    }

    /// @param field the field that contains the filter
    public static Patch<Filter> read(FieldReader input, String field) {
        return input.nested(field)
                .map(inner -> {
                    var parser = new FilterParser();
                    var root = parser.group(inner, true);
                    if (parser.ruleCount > MAX_RULES) {
                        input.addError(
                                field,
                                "must have at most "
                                        + MAX_RULES
                                        + " rules, including those of its groups.");
                    }
                    var json = input.rawValue(field).orElseThrow();
                    return new Filter(
                            root, parser.hasIgnoredNulls ? withoutNulls(json) : json.raw());
                });
    }

    /// Returns the filter without the nulls that were ignored, so that responses do not show them.
    private static RawJson withoutNulls(JsonValue value) {
        if (value.type() != JsonValue.JsonType.OBJECT) {
            return value.raw();
        }
        var members = value.members();
        boolean isRule = members.containsKey("op") && !isNull(members.get("op"));
        var kept = new JsonObject();
        members.forEach((name, member) -> {
            if (name.equals("rules") && !isNull(member)) {
                kept.put(name, member.elements().stream().map(FilterParser::withoutNulls).toList());
            } else if (!isNull(member) || (isRule && name.equals("value"))) {
                kept.put(name, member.raw());
            }
        });
        return new RawJson(Json.text(kept));
    }

    private Filter.FilterGroup group(FieldReader input, boolean isOutermost) {
        var join =
                input.required("operator", input.oneOf("operator", Filter.LogicalOperator.BY_TEXT));
        var conditions = new ArrayList<Filter.FilterCondition>();
        for (var each :
                input.required("rules", input.nestedList("rules", 1, MAX_RULES))
                        .orElse(List.of())) {
            if (ruleCount > MAX_RULES) {
                break;
            }
            condition(each, isOutermost).ifPresent(conditions::add);
        }
        input.rejectUnknownFields();
        return new Filter.FilterGroup(join.orElse(Filter.LogicalOperator.AND), conditions);
    }

    private Optional<Filter.FilterCondition> condition(FieldReader input, boolean isOutermost) {
        if (!input.hasValue("rules") && !input.hasValue("operator")) {
            ignoreNulls(input, GROUP_FIELDS);
            return rule(input);
        }
        if (isOutermost) {
            ignoreNulls(input, RULE_FIELDS);
            return Optional.of(group(input, false));
        }
        for (String field : GROUP_FIELDS) {
            input.rawValue(field)
                    .ifPresent(_ ->
                            input.addError(
                                    field, "is not allowed here: groups nest one level deep."));
        }
        input.rejectUnknownFields();
        return Optional.empty();
    }

    private void ignoreNulls(FieldReader input, List<String> fields) {
        hasIgnoredNulls |= fields.stream().anyMatch(input.names()::contains);
        fields.forEach(input::ignoreNull);
    }

    private Optional<Filter.FilterCondition> rule(FieldReader input) {
        ruleCount++;
        var path = input.required("path", input.parsed("path", FilterPath::parse)).toOptional();
        var operator = input.required("op", input.oneOf("op", FilterOperator.BY_TEXT)).toOptional();
        var value = operator.flatMap(op -> value(input, op));
        if (operator.isEmpty()) {
            var _ = input.rawValue("value");
        }
        input.rejectUnknownFields();
        if (path.isEmpty() || value.isEmpty()) {
            return Optional.empty();
        }
        var op = operator.orElseThrow();
        return Optional.of(
                new Filter.FilterRule(path.get(), op, FilterOperand.of(op, value.get())));
    }

    private static Optional<JsonValue> value(FieldReader input, FilterOperator operator) {
        var value = input.rawValue("value");
        if (operator == FilterOperator.EXISTS && value.filter(v -> !isNull(v)).isEmpty()) {
            return Optional.of(JSON_TRUE); // some clients send null instead of omitting the field
        }
        if (value.isEmpty()) {
            input.addError("value", "is required.");
            return Optional.empty();
        }
        var error = operator.operandError(value.get()).or(() -> sizeError(operator, value.get()));
        error.ifPresent(message -> input.addError("value", message));
        return error.isPresent() ? Optional.empty() : value;
    }

    private static boolean isNull(JsonValue value) {
        return value.type() == JsonValue.JsonType.NULL;
    }

    private static Optional<String> sizeError(FilterOperator operator, JsonValue value) {
        if (value.length() > MAX_VALUE_BYTES) {
            return Optional.of("must take at most " + MAX_VALUE_BYTES + " bytes as JSON.");
        }
        int elements = operator == FilterOperator.IN ? value.elements().size() : 1;
        return elements < 1 || elements > MAX_LIST_VALUES
                ? Optional.of("must be a list of 1 to " + MAX_LIST_VALUES + " values.")
                : Optional.empty();
    }
}
