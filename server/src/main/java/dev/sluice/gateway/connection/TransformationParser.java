package dev.sluice.gateway.connection;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonMerger;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.json.Patch;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// Parses a connection's `transformation` field. Invalid fields are recorded as errors in the
/// [FieldReader].
public final class TransformationParser {

    private static final int MAX_RULES = 50;
    private static final int MAX_MERGE_FIELDS = 100;
    private static final int MAX_MERGE_BYTES = 16 * 1024;

    private TransformationParser() {}

    /// @param input the JSON object that describes the connection
    public static Patch<Transformation> read(FieldReader input, CustomHeaderRules headerRules) {
        return input.nested("transformation")
                .map(inner -> {
                    var json = input.rawValue("transformation").orElseThrow().raw();
                    var transformation =
                            new Transformation(
                                    list(
                                            inner,
                                            "rename_headers",
                                            each -> headerRename(each, headerRules)),
                                    removedHeaders(inner, headerRules),
                                    setHeaders(inner, headerRules),
                                    merge(inner),
                                    json);
                    inner.rejectUnknownFields();
                    return transformation;
                });
    }

    private static List<Transformation.HeaderAssignment> setHeaders(
            FieldReader input, CustomHeaderRules headerRules) {
        var headers = list(input, "set_headers", each -> headerAssignment(each, headerRules));
        headerRules
                .totalError(
                        headers.stream()
                                .flatMap(header -> Stream.of(header.name(), header.value().text())))
                .ifPresent(message -> input.addError("set_headers", message));
        return headers;
    }

    private static <T> List<T> list(
            FieldReader input, String field, Function<FieldReader, Optional<T>> element) {
        var forms = input.nestedList(field, 0, MAX_RULES);
        input.rejectNull(field, forms);
        return forms.orElse(List.of()).stream()
                .flatMap(each -> element.apply(each).stream())
                .toList();
    }

    private static Optional<Transformation.HeaderRename> headerRename(
            FieldReader input, CustomHeaderRules headerRules) {
        var from = name(input, "from", headerRules);
        var to = name(input, "to", headerRules);
        input.rejectUnknownFields();
        return from.flatMap(old -> to.map(name -> new Transformation.HeaderRename(old, name)));
    }

    private static Optional<Transformation.HeaderAssignment> headerAssignment(
            FieldReader input, CustomHeaderRules headerRules) {
        var name = name(input, "name", headerRules);
        var value =
                input.required("value", input.parsed("value", TransformationParser::value))
                        .toOptional();
        input.rejectUnknownFields();
        return name.flatMap(n -> value.map(v -> new Transformation.HeaderAssignment(n, v)));
    }

    private static Optional<String> name(
            FieldReader input, String field, CustomHeaderRules headerRules) {
        return input.required(field, input.parsed(field, text -> headerName(text, headerRules)))
                .toOptional();
    }

    private static String headerName(String name, CustomHeaderRules headerRules) {
        if (!CustomHeaderRules.isName(name)) {
            throw new IllegalArgumentException("must be " + CustomHeaderRules.nameFormat());
        }
        headerRules
                .reservedNameError(name)
                .ifPresent(message -> {
                    throw new IllegalArgumentException(message);
                });
        return name;
    }

    private static HeaderTemplate value(String text) {
        CustomHeaderRules.valueError(text)
                .ifPresent(message -> {
                    throw new IllegalArgumentException(message);
                });
        return HeaderTemplate.parse(text);
    }

    private static List<String> removedHeaders(FieldReader input, CustomHeaderRules headerRules) {
        var list = input.stringList("remove_headers", MAX_RULES);
        input.rejectNull("remove_headers", list);
        var names = list.orElse(List.of());
        for (int i = 0; i < names.size(); i++) {
            try {
                var _ = headerName(names.get(i), headerRules);
            } catch (IllegalArgumentException e) {
                input.addError("remove_headers." + i, String.valueOf(e.getMessage()));
            }
        }
        return names;
    }

    private static Optional<JsonMerger> merge(FieldReader input) {
        var fields = input.rawValue("merge_body_fields");
        if (fields.isEmpty()) {
            return Optional.empty();
        }
        if (fields.get().type() != JsonValue.JsonType.OBJECT) {
            input.addError("merge_body_fields", "must be an object.");
            return Optional.empty();
        }
        if (fields.get().length() > MAX_MERGE_BYTES
                || fields.get().members().size() > MAX_MERGE_FIELDS) {
            input.addError(
                    "merge_body_fields",
                    "must have at most "
                            + MAX_MERGE_FIELDS
                            + " fields and take at most "
                            + MAX_MERGE_BYTES
                            + " bytes as JSON.");
            return Optional.empty();
        }
        return fields.map(JsonMerger::of).filter(merge -> !merge.isEmpty());
    }
}
