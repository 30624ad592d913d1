package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Reads and checks the fields of a JSON object, one method per field type.
///
/// An invalid field is recorded as an error and treated as absent. `check` then reports the errors
/// together. A field that no method has read is unknown, which also counts as an error. Not
/// thread-safe.
///
/// An error message is the rest of a sentence that starts with the field's path, such as "must be a
/// string."
public final class FieldReader {

    private static final Pattern RFC_3339 =
            Pattern.compile(
                    "\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?([Zz]|[-+]\\d\\d:\\d\\d)");

    /// The error message for a string with a NUL character. It follows the name of a field or a
    /// query parameter.
    public static final String NUL_REFUSAL = "must not contain the NUL character.";

    /// The maximum number of decimal digits that a `long` can have.
    private static final int MAX_LONG_DIGITS = 19;

    private static final String UNICODE_REFUSAL = "must be valid Unicode text.";

    private final ObjectNode object;
    private final String path;
    private final FieldErrors errors;
    private final Set<String> readFields = new HashSet<>();

    /// This object with its original text, which `rawValue` needs. Empty if [JsonDocument] cannot
    /// read the text.
    private final Optional<JsonValue> original;

    FieldReader(ObjectNode object, Optional<JsonDocument> document) {
        this(object, "", new FieldErrors(), document.map(JsonDocument::root));
    }

    private FieldReader(
            ObjectNode object, String path, FieldErrors errors, Optional<JsonValue> original) {
        this.object = object;
        this.path = path;
        this.errors = errors;
        this.original = original;
    }

    /// Records an error for a field of this object.
    ///
    /// @param message the rest of a sentence that starts with the field's path
    public void addError(String field, String message) {
        errors.add(path + field, message);
    }

    /// Whether the field is present, even if it is null.
    public boolean has(String field) {
        return object.has(field);
    }

    /// Whether the field is present and not null.
    public boolean hasValue(String field) {
        return object.hasNonNull(field);
    }

    /// Returns the names of the object's fields, sorted.
    public Set<String> names() {
        return new TreeSet<>(object.propertyNames());
    }

    /// Returns `value`, and records an error when the field is absent or null, unless the field
    /// already has an error.
    public <T> Patch<T> required(String field, Patch<T> value) {
        if (!(value instanceof Patch.SetValue<T>) && !errors.has(path + field)) {
            addError(field, "is required.");
        }
        return value;
    }

    /// Records an error when the field is null.
    public void rejectNull(String field, Patch<?> value) {
        if (value instanceof Patch.ClearValue<?>) {
            addError(field, "cannot be null.");
        }
    }

    /// Reads a string. It must not contain NUL or lone surrogates, because PostgreSQL can store
    /// neither in text.
    ///
    /// @param min the minimum length; `min` and `max` count Unicode code points
    public Patch<String> text(String field, int min, int max) {
        return read(
                field,
                node -> {
                    if (!node.isString()) {
                        return invalid(field, "must be a string.");
                    }
                    String text = node.stringValue();
                    int length = text.codePointCount(0, text.length());
                    if (length < min || length > max) {
                        String range = min == max ? "" + min : min + " to " + max;
                        return invalid(field, "must have " + range + " characters.");
                    }
                    if (hasNul(text)) {
                        return invalid(field, NUL_REFUSAL);
                    }
                    if (!isUnicode(text)) {
                        return invalid(field, UNICODE_REFUSAL);
                    }
                    return text;
                });
    }

    /// Reads a string as [#text] does, but also requires at least one visible character. Use this
    /// for secrets.
    public Patch<String> visibleText(String field, int min, int max) {
        var text = text(field, min, max);
        if (text.toOptional().filter(given -> !VisibleText.isVisible(given)).isEmpty()) {
            return text;
        }
        addError(field, "must have at least one visible character.");
        return new Patch.KeepValue<>();
    }

    /// Reads a name that a person chose. It has one line, at least one visible character, and none
    /// that [NameCharacters] refuses.
    public Patch<String> name(String field, int min, int max) {
        return isRefused(field, NameCharacters::firstRefused)
                ? new Patch.KeepValue<>()
                : visibleText(field, min, max);
    }

    /// Reads a text of a person's own, which may have several lines. The characters that names must
    /// not have are refused here as well.
    public Patch<String> description(String field, int min, int max) {
        return isRefused(field, NameCharacters::firstRefusedInLines)
                ? new Patch.KeepValue<>()
                : text(field, min, max);
    }

    private boolean isRefused(String field, Function<String, OptionalInt> firstRefused) {
        readFields.add(field);
        var node = object.path(field);
        var refused =
                node.isString() ? firstRefused.apply(node.stringValue()) : OptionalInt.empty();
        refused.ifPresent(
                c -> addError(field, "must not contain the character U+%04X.".formatted(c)));
        return refused.isPresent();
    }

    /// Whether the text contains NUL, which PostgreSQL cannot store in text. [#NUL_REFUSAL] is the
    /// error message to use if it does.
    public static boolean hasNul(String text) {
        return text.indexOf('\0') >= 0;
    }

    /// Whether the text has no lone surrogate (half of a surrogate pair), so that it can be written
    /// as UTF-8.
    public static boolean isUnicode(String text) {
        return text.codePoints()
                .noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    /// Records errors for the names and strings inside the field that contain a lone surrogate
    /// (half of a surrogate pair). If the API returned the lone surrogate, a strict JSON parser
    /// would refuse the whole response.
    public void requireUnicode(String field) {
        @Nullable JsonNode node = object.get(field);
        if (node != null) {
            requireUnicode(field, node);
        }
    }

    private void requireUnicode(String field, JsonNode node) {
        if (node.isString() && !isUnicode(node.stringValue())) {
            addError(field, UNICODE_REFUSAL);
        }
        int index = 0;
        for (var element : node.isArray() ? node : List.<JsonNode>of()) {
            requireUnicode(field + "." + index++, element);
        }
        for (var member : node.properties()) {
            if (isUnicode(member.getKey())) {
                requireUnicode(field + "." + member.getKey(), member.getValue());
            } else {
                addError(field, "must have names that are valid Unicode text.");
            }
        }
    }

    public Patch<Integer> integer(String field, int min, int max) {
        return read(field, node -> integer(field, node, min, max));
    }

    private @Nullable Integer integer(String field, JsonNode node, int min, int max) {
        var number = wholeNumber(node).filter(whole -> whole >= min && whole <= max);
        return number.isPresent()
                ? (Integer) number.get().intValue()
                : invalid(field, "must be a whole number from " + min + " to " + max + ".");
    }

    /// Returns the value of a whole number, however it is written: JSON does not distinguish
    /// `5000.0` from `5000`. Returns empty if the node is not a whole number, or if the number does
    /// not fit in a `long`.
    private static Optional<Long> wholeNumber(JsonNode node) {
        if (!node.isNumber()) {
            return Optional.empty();
        }
        var number = node.decimalValue();
        long integerDigits = (long) number.precision() - number.scale();
        if (number.signum() != 0 && (integerDigits < 1 || integerDigits > MAX_LONG_DIGITS)) {
            return Optional.empty();
        }
        try {
            return Optional.of(number.signum() == 0 ? 0 : number.longValueExact());
        } catch (ArithmeticException e) {
            return Optional.empty();
        }
    }

    /// Reads any whole number that fits in a `long`.
    public Patch<Long> longInteger(String field) {
        return read(
                field,
                node -> {
                    var number = wholeNumber(node);
                    return number.isPresent()
                            ? number.get()
                            : invalid(field, "must be a whole number.");
                });
    }

    private static boolean isList(JsonNode node, int minSize, int maxSize) {
        return node.isArray() && node.size() >= minSize && node.size() <= maxSize;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // null fits every type
    private <T> @Nullable T invalidList(String field, int minSize, int maxSize, String elements) {
        return invalid(
                field, "must be a list of " + minSize + " to " + maxSize + " " + elements + ".");
    }

    /// Reads a list of whole numbers. The list must have from `minSize` to `maxSize` elements, each
    /// from `min` to `max`.
    public Patch<List<Integer>> integers(String field, int minSize, int maxSize, int min, int max) {
        return read(
                field,
                node -> {
                    if (!isList(node, minSize, maxSize)) {
                        return invalidList(field, minSize, maxSize, "whole numbers");
                    }
                    var numbers = new ArrayList<Integer>();
                    for (var element : node) {
                        String place = field + "." + numbers.size();
                        @Nullable Integer number = integer(place, element, min, max);
                        if (number == null) {
                            return null;
                        }
                        numbers.add(number);
                    }
                    return List.copyOf(numbers);
                });
    }

    public Patch<Boolean> bool(String field) {
        return read(
                field,
                node ->
                        node.isBoolean()
                                ? (Boolean) node.booleanValue()
                                : invalid(field, "must be true or false."));
    }

    public Patch<UUID> uuid(String field) {
        return read(
                field,
                node -> {
                    try {
                        return node.isString()
                                ? parseUuid(node.stringValue())
                                : invalid(field, "must be a UUID.");
                    } catch (IllegalArgumentException e) {
                        return invalid(field, "must be a UUID.");
                    }
                });
    }

    /// Parses a UUID in its canonical form, in lower or upper case. `UUID.fromString` would also
    /// accept parts that are shortened or have a sign.
    public static UUID parseUuid(String text) {
        var id = UUID.fromString(text);
        if (!id.toString().equalsIgnoreCase(text)) {
            throw new IllegalArgumentException("not a UUID");
        }
        return id;
    }

    /// Parses an RFC 3339 time with up to nine decimals. Leap seconds (`:60`) are refused.
    ///
    /// @throws IllegalArgumentException if the text is not a valid time; the message is the rest of
    ///   a sentence that starts with the field's path
    public static Instant parseTime(String text) {
        try {
            if (RFC_3339.matcher(text).matches()) {
                return OffsetDateTime.parse(text).toInstant();
            }
        } catch (DateTimeException e) {
            // The exception below explains the error in words that the sender understands.
        }
        throw new IllegalArgumentException(
                "must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.");
    }

    /// Reads a string that must be one of the keys of `meanings`, and returns what that key maps
    /// to.
    public <T> Patch<T> oneOf(String field, Map<String, T> meanings) {
        return read(
                field,
                node -> {
                    @Nullable T meaning = node.isString() ? meanings.get(node.stringValue()) : null;
                    return meaning != null ? meaning : invalid(field, oneOfMessage(meanings));
                });
    }

    private static String oneOfMessage(Map<String, ?> meanings) {
        return "must be one of " + String.join(", ", new TreeSet<>(meanings.keySet())) + ".";
    }

    /// Reads a list of strings that must be keys of `meanings`, and returns what those keys map to.
    public <T> Patch<List<T>> listOf(
            String field, int minSize, int maxSize, Map<String, T> meanings) {
        return parsedList(
                field,
                minSize,
                maxSize,
                text -> {
                    @Nullable T meaning = meanings.get(text);
                    if (meaning == null) {
                        throw new IllegalArgumentException(oneOfMessage(meanings));
                    }
                    return meaning;
                });
    }

    /// Reads an object whose values must all be strings. Any other value is recorded as an error
    /// and left out.
    public Patch<Map<String, String>> stringMap(String field) {
        return read(
                field,
                node -> {
                    if (!node.isObject()) {
                        return invalid(field, "must be an object of strings.");
                    }
                    var texts = new LinkedHashMap<String, String>();
                    for (var entry : node.properties()) {
                        if (entry.getValue().isString()) {
                            texts.put(entry.getKey(), entry.getValue().stringValue());
                        } else {
                            addError(field + "." + entry.getKey(), "must be a string.");
                        }
                    }
                    return texts;
                });
    }

    /// Reads a nested object. Its errors are reported together with those of this object.
    public Patch<FieldReader> nested(String field) {
        return read(
                field,
                node ->
                        node instanceof ObjectNode inner
                                ? new FieldReader(
                                        inner,
                                        path + field + ".",
                                        errors,
                                        original.flatMap(object -> object.member(field)))
                                : invalid(field, "must be an object."));
    }

    /// Reads a list of nested objects. Their errors are reported together with those of this
    /// object.
    public Patch<List<FieldReader>> nestedList(String field, int minSize, int maxSize) {
        return read(
                field,
                node -> {
                    if (!isList(node, minSize, maxSize)) {
                        return invalidList(field, minSize, maxSize, "objects");
                    }
                    var list = original.flatMap(object -> object.member(field));
                    var readers = new ArrayList<FieldReader>();
                    for (var element : node) {
                        int index = readers.size();
                        if (!(element instanceof ObjectNode inner)) {
                            return invalid(field + "." + index, "must be an object.");
                        }
                        readers.add(
                                new FieldReader(
                                        inner,
                                        path + field + "." + index + ".",
                                        errors,
                                        list.flatMap(each -> each.element(index))));
                    }
                    return readers;
                });
    }

    /// Reads a list of non-empty strings.
    public Patch<List<String>> stringList(String field, int maxSize) {
        return read(
                field,
                node -> {
                    if (!isList(node, 0, maxSize)) {
                        return invalidList(field, 0, maxSize, "strings");
                    }
                    var texts = new ArrayList<String>();
                    for (var element : node) {
                        if (!element.isString() || element.stringValue().isEmpty()) {
                            return invalid(
                                    field + "." + texts.size(),
                                    "must be a string that is not empty.");
                        }
                        texts.add(element.stringValue());
                    }
                    return texts;
                });
    }

    /// Reads a list of strings, each converted by `parse`. When `parse` throws an
    /// `IllegalArgumentException`, the error is the path of the element followed by the exception's
    /// message. Invalid elements are left out of the list.
    public <T> Patch<List<T>> parsedList(
            String field, int minSize, int maxSize, Function<String, T> parse) {
        return read(
                field,
                node -> {
                    if (!isList(node, minSize, maxSize)) {
                        return invalidList(field, minSize, maxSize, "strings");
                    }
                    var values = new ArrayList<T>();
                    for (int i = 0; i < node.size(); i++) {
                        var element = node.get(i);
                        try {
                            if (!element.isString()) {
                                throw new IllegalArgumentException("must be a string.");
                            }
                            values.add(parse.apply(element.stringValue()));
                        } catch (IllegalArgumentException e) {
                            addError(field + "." + i, String.valueOf(e.getMessage()));
                        }
                    }
                    return values;
                });
    }

    /// Returns the field's value with its text as it was sent, or as Jackson writes it if
    /// [JsonDocument] cannot read the body. The value can be a JSON null. Returns empty only if the
    /// field is absent.
    public Optional<JsonValue> rawValue(String field) {
        readFields.add(field);
        return Optional.ofNullable(object.get(field))
                .map(node ->
                        original.flatMap(object -> object.member(field))
                                .or(() ->
                                        JsonDocument.read(node.toString().getBytes(UTF_8))
                                                .map(JsonDocument::root))
                                .orElseThrow());
    }

    /// Reads a string and converts it with `parse`. When `parse` throws an
    /// `IllegalArgumentException`, the error is the field's path followed by the exception's
    /// message.
    public <T> Patch<T> parsed(String field, Function<String, T> parse) {
        return read(
                field,
                node -> {
                    if (!node.isString()) {
                        return invalid(field, "must be a string.");
                    }
                    try {
                        return parse.apply(node.stringValue());
                    } catch (IllegalArgumentException e) {
                        return invalid(field, String.valueOf(e.getMessage()));
                    }
                });
    }

    /// If the field is null, marks it as read, so that it is not reported as unknown.
    public void ignoreNull(String field) {
        if (object.path(field).isNull()) {
            readFields.add(field);
        }
    }

    /// Records an error if the field has any value other than null.
    public void reject(String field, String message) {
        var _ = read(field, _ -> invalid(field, message));
    }

    private <T> Patch<T> read(String field, Function<JsonNode, @Nullable T> reader) {
        readFields.add(field);
        @Nullable JsonNode node = object.get(field);
        if (node == null) {
            return new Patch.KeepValue<>();
        }
        if (node.isNull()) {
            return new Patch.ClearValue<>();
        }
        @Nullable T value = reader.apply(node);
        return value == null ? new Patch.KeepValue<>() : new Patch.SetValue<>(value);
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // null fits every type
    private <T> @Nullable T invalid(String field, String message) {
        addError(field, message);
        return null;
    }

    /// Records an error for every field that no method has read so far.
    public FieldReader rejectUnknownFields() {
        for (String field : object.propertyNames()) {
            if (!readFields.contains(field)) {
                addError(field, "is not a known field.");
            }
        }
        return this;
    }

    /// Records an error for each unknown field in this object, then throws if there are any errors,
    /// including errors in nested objects. To find unknown fields in a nested object, call
    /// [#rejectUnknownFields] on its reader first.
    ///
    /// @throws InvalidFieldsException when any field is invalid or unknown
    public void check() {
        rejectUnknownFields();
        errors.check();
    }
}
