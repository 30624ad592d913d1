package dev.sluice.gateway.connection;

import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.JsonMerge;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.json.Patch;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Reads `transformation`; what is wrong is noted in the form.
public final class TransformationForm {

    private static final int MOST_RULES = 50;
    private static final int MOST_NAME = 200;
    private static final int MOST_VALUE = 4096;
    private static final int MOST_FIELDS = 100;
    private static final int MOST_MERGE_BYTES = 16 * 1024;

    private TransformationForm() {}

    /// @param form of a connection
    public static Patch<Transformation> read(Form form) {
        return form.form("transformation")
                .map(inner -> {
                    var json = form.any("transformation").orElseThrow().raw();
                    var transformation =
                            new Transformation(
                                    list(inner, "rename_headers", TransformationForm::renamed),
                                    removed(inner),
                                    list(inner, "set_headers", TransformationForm::set),
                                    merge(inner),
                                    json);
                    inner.nothingElse();
                    return transformation;
                });
    }

    private static <T> List<T> list(Form form, String field, Function<Form, Optional<T>> element) {
        var forms = form.forms(field, 0, MOST_RULES);
        form.refuseNull(field, forms);
        return forms.or(List.of()).stream().flatMap(each -> element.apply(each).stream()).toList();
    }

    private static Optional<Transformation.Renamed> renamed(Form form) {
        var from = name(form, "from");
        var to = name(form, "to");
        form.nothingElse();
        return from.flatMap(old -> to.map(now -> new Transformation.Renamed(old, now)));
    }

    private static Optional<Transformation.Set> set(Form form) {
        var name = name(form, "name");
        var value =
                form.required("value", form.parsed("value", TransformationForm::value))
                        .toOptional();
        form.nothingElse();
        return name.flatMap(n -> value.map(v -> new Transformation.Set(n, v)));
    }

    private static Optional<String> name(Form form, String field) {
        return form.required(field, form.parsed(field, TransformationForm::headerName))
                .toOptional();
    }

    private static String headerName(String name) {
        if (!HeaderSyntax.isName(name) || name.length() > MOST_NAME) {
            throw new IllegalArgumentException(
                    "must be a header name of at most " + MOST_NAME + " characters (RFC 9110).");
        }
        if (HeaderSyntax.isReserved(name)) {
            throw new IllegalArgumentException(
                    "must not be " + name + ": the connection needs it.");
        }
        return name;
    }

    private static HeaderTemplate value(String text) {
        if (text.length() > MOST_VALUE) {
            throw new IllegalArgumentException("must have at most " + MOST_VALUE + " characters.");
        }
        boolean isUnicode =
                text.codePoints()
                        .noneMatch(
                                c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
        if (!HeaderSyntax.isText(text) || !text.equals(text.strip()) || !isUnicode) {
            throw new IllegalArgumentException(
                    "must be text without control characters, and without spaces at its ends.");
        }
        return HeaderTemplate.parse(text);
    }

    private static List<String> removed(Form form) {
        var list = form.textList("remove_headers", MOST_RULES);
        form.refuseNull("remove_headers", list);
        var names = list.or(List.of());
        for (int i = 0; i < names.size(); i++) {
            try {
                var _ = headerName(names.get(i));
            } catch (IllegalArgumentException e) {
                form.complain("remove_headers." + i, String.valueOf(e.getMessage()));
            }
        }
        return names;
    }

    private static Optional<JsonMerge> merge(Form form) {
        var fields = form.any("merge_body_fields");
        if (fields.isEmpty()) {
            return Optional.empty();
        }
        if (fields.get().kind() != JsonValue.Kind.OBJECT) {
            form.complain("merge_body_fields", "must be an object.");
            return Optional.empty();
        }
        if (fields.get().length() > MOST_MERGE_BYTES
                || fields.get().members().size() > MOST_FIELDS) {
            form.complain(
                    "merge_body_fields",
                    "must have at most "
                            + MOST_FIELDS
                            + " fields and take at most "
                            + MOST_MERGE_BYTES
                            + " bytes as JSON.");
            return Optional.empty();
        }
        return fields.map(JsonMerge::of).filter(merge -> !merge.isEmpty());
    }
}
