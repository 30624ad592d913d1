package dev.sluice.gateway.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.json.Patch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads `filter_rules`; what is wrong is noted in the form.
public final class FilterForm {

    private static final int MOST_RULES = 50;
    private static final int MOST_VALUE_BYTES = 8192;
    private static final int MOST_IN_LIST = 100;

    private static final JsonValue TRUE =
            JsonDocument.read("true".getBytes(UTF_8)).orElseThrow().root();

    /// Read so far; reading ends with the first one too many.
    private int rules;

    private FilterForm() {}

    /// @param form of a connection
    public static Patch<Filter> read(Form form) {
        return form.form("filter_rules")
                .map(inner -> {
                    var reader = new FilterForm();
                    var root = reader.group(inner, true);
                    if (reader.rules > MOST_RULES) {
                        form.complain(
                                "filter_rules",
                                "must have at most "
                                        + MOST_RULES
                                        + " rules, those of its groups included.");
                    }
                    var json = form.any("filter_rules").orElseThrow().raw();
                    return new Filter(root, json);
                });
    }

    private Filter.Group group(Form form, boolean isOutermost) {
        var join = form.required("operator", form.oneOf("operator", Filter.Join.BY_TEXT));
        var conditions = new ArrayList<Filter.Condition>();
        for (var each : form.required("rules", form.forms("rules", 1, MOST_RULES)).or(List.of())) {
            if (rules > MOST_RULES) {
                break;
            }
            condition(each, isOutermost).ifPresent(conditions::add);
        }
        form.nothingElse();
        return new Filter.Group(join.or(Filter.Join.AND), conditions);
    }

    private Optional<Filter.Condition> condition(Form form, boolean isOutermost) {
        if (!form.has("rules") && !form.has("operator")) {
            return rule(form);
        }
        if (isOutermost) {
            return Optional.of(group(form, false));
        }
        for (String field : List.of("rules", "operator")) {
            form.any(field)
                    .ifPresent(_ ->
                            form.complain(field, "cannot be here: groups nest one level deep."));
        }
        form.nothingElse();
        return Optional.empty();
    }

    private Optional<Filter.Condition> rule(Form form) {
        rules++;
        var path = form.required("path", form.parsed("path", FilterPath::parse)).toOptional();
        var operator = form.required("op", form.oneOf("op", Operator.BY_TEXT)).toOptional();
        var value = operator.flatMap(op -> value(form, op));
        if (operator.isEmpty()) {
            var _ = form.any("value");
        }
        form.nothingElse();
        return path.isPresent() && value.isPresent()
                ? Optional.of(
                        new Filter.Rule(
                                path.get(), operator.orElseThrow(), Operand.of(value.get())))
                : Optional.empty();
    }

    private static Optional<JsonValue> value(Form form, Operator operator) {
        var value = form.any("value");
        if (value.isEmpty()) {
            if (operator == Operator.EXISTS) {
                return Optional.of(TRUE);
            }
            form.complain("value", "is required.");
            return Optional.empty();
        }
        var objection = operator.objection(value.get()).or(() -> size(operator, value.get()));
        objection.ifPresent(message -> form.complain("value", message));
        return objection.isPresent() ? Optional.empty() : value;
    }

    private static Optional<String> size(Operator operator, JsonValue value) {
        if (value.length() > MOST_VALUE_BYTES) {
            return Optional.of("must take at most " + MOST_VALUE_BYTES + " bytes as JSON.");
        }
        int elements = operator == Operator.IN ? value.elements().size() : 1;
        return elements < 1 || elements > MOST_IN_LIST
                ? Optional.of("must be a list of 1 to " + MOST_IN_LIST + " values.")
                : Optional.empty();
    }
}
