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
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/// A JSON object read field by field.
///
/// A field that is wrong is noted and reads as left out; `check` then reports the wrong fields all
/// at once, those that nobody asked for included. Owned by one thread.
public final class Form {

    private static final Pattern RFC_3339 =
            Pattern.compile(
                    "\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?([Zz]|[-+]\\d\\d:\\d\\d)");

    private final ObjectNode object;
    private final String path;
    private final Mistakes mistakes;
    private final Set<String> asked = new HashSet<>();

    /// The same object with its text as it was sent, where that is known.
    private final Optional<JsonValue> sent;

    Form(ObjectNode object, Optional<JsonDocument> sent) {
        this(object, "", new Mistakes(), sent.map(JsonDocument::root));
    }

    private Form(ObjectNode object, String path, Mistakes mistakes, Optional<JsonValue> sent) {
        this.object = object;
        this.path = path;
        this.mistakes = mistakes;
        this.sent = sent;
    }

    /// Notes that `field` of this form is wrong; `message` continues the field's name.
    public void complain(String field, String message) {
        mistakes.add(path + field, message);
    }

    /// Whether the field was sent, null included.
    public boolean has(String field) {
        return object.has(field);
    }

    /// Whether the field was sent, and not as null.
    public boolean isGiven(String field) {
        return object.hasNonNull(field);
    }

    /// Notes the field as missing when it was left out or null.
    public <T> Patch<T> required(String field, Patch<T> value) {
        if (!(value instanceof Patch.Set<T>) && !mistakes.has(path + field)) {
            complain(field, "is required.");
        }
        return value;
    }

    /// Notes the field as wrong when it was set to null.
    public void refuseNull(String field, Patch<?> value) {
        if (value instanceof Patch.Clear<?>) {
            complain(field, "cannot be null.");
        }
    }

    /// @param least of characters; the text may not hold NUL or half a surrogate pair, which no
    ///   database text can
    public Patch<String> text(String field, int least, int most) {
        return read(
                field,
                node -> {
                    if (!node.isString()) {
                        return wrong(field, "must be a string.");
                    }
                    String text = node.stringValue();
                    int length = text.codePointCount(0, text.length());
                    if (length < least || length > most) {
                        return wrong(field, "must have " + least + " to " + most + " characters.");
                    }
                    if (text.indexOf('\0') >= 0) {
                        return wrong(field, "must not contain the NUL character.");
                    }
                    if (text.codePoints().anyMatch(Form::isHalfOfAPair)) {
                        return wrong(field, "must be valid Unicode text.");
                    }
                    return text;
                });
    }

    private static boolean isHalfOfAPair(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    public Patch<Integer> integer(String field, int least, int most) {
        return read(field, node -> integer(field, node, least, most));
    }

    private @Nullable Integer integer(String field, JsonNode node, int least, int most) {
        if (!node.isIntegralNumber()
                || !node.canConvertToInt()
                || node.intValue() < least
                || node.intValue() > most) {
            return wrong(field, "must be a whole number from " + least + " to " + most + ".");
        }
        return node.intValue();
    }

    /// Any whole number that fits a long.
    public Patch<Long> whole(String field) {
        return read(
                field,
                node ->
                        node.isIntegralNumber() && node.canConvertToLong()
                                ? (Long) node.longValue()
                                : wrong(field, "must be a whole number."));
    }

    /// A list of whole numbers, its length bounded too.
    public Patch<List<Integer>> integers(
            String field, int fewest, int most, int least, int greatest) {
        return read(
                field,
                node -> {
                    if (!node.isArray() || node.size() < fewest || node.size() > most) {
                        return wrong(
                                field,
                                "must be a list of " + fewest + " to " + most + " whole numbers.");
                    }
                    var numbers = new ArrayList<Integer>();
                    for (var element : node) {
                        @Nullable Integer number = integer(field, element, least, greatest);
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
                                : wrong(field, "must be true or false."));
    }

    public Patch<UUID> uuid(String field) {
        return read(
                field,
                node -> {
                    try {
                        return node.isString()
                                ? uuidOf(node.stringValue())
                                : wrong(field, "must be a UUID.");
                    } catch (IllegalArgumentException e) {
                        return wrong(field, "must be a UUID.");
                    }
                });
    }

    /// The plain form only: `UUID.fromString` also takes shortened and signed parts.
    public static UUID uuidOf(String text) {
        var id = UUID.fromString(text);
        if (!id.toString().equalsIgnoreCase(text)) {
            throw new IllegalArgumentException("not a UUID");
        }
        return id;
    }

    /// A time as RFC 3339 writes it, to the nanosecond; the second 60 is refused.
    ///
    /// @throws IllegalArgumentException with a message that continues the field's name
    public static Instant timeOf(String text) {
        try {
            if (RFC_3339.matcher(text).matches()) {
                return OffsetDateTime.parse(text).toInstant();
            }
        } catch (DateTimeException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.");
    }

    /// One of the words that `meanings` knows.
    public <T> Patch<T> oneOf(String field, Map<String, T> meanings) {
        return read(
                field,
                node -> {
                    @Nullable T meaning = node.isString() ? meanings.get(node.stringValue()) : null;
                    return meaning != null
                            ? meaning
                            : wrong(
                                    field,
                                    "must be one of "
                                            + String.join(", ", new TreeSet<>(meanings.keySet()))
                                            + ".");
                });
    }

    /// A flat object from string to string. Members that are no strings are noted and left out.
    public Patch<Map<String, String>> texts(String field) {
        return read(
                field,
                node -> {
                    if (!node.isObject()) {
                        return wrong(field, "must be an object of strings.");
                    }
                    var texts = new LinkedHashMap<String, String>();
                    for (var entry : node.properties()) {
                        if (entry.getValue().isString()) {
                            texts.put(entry.getKey(), entry.getValue().stringValue());
                        } else {
                            complain(field + "." + entry.getKey(), "must be a string.");
                        }
                    }
                    return texts;
                });
    }

    /// An object within, read by the same rules; its mistakes are reported with ours.
    public Patch<Form> form(String field) {
        return read(
                field,
                node ->
                        node instanceof ObjectNode inner
                                ? new Form(
                                        inner,
                                        path + field + ".",
                                        mistakes,
                                        sent.flatMap(object -> object.member(field)))
                                : wrong(field, "must be an object."));
    }

    /// A list of objects, each read by the same rules.
    public Patch<List<Form>> forms(String field, int fewest, int most) {
        return read(
                field,
                node -> {
                    if (!node.isArray() || node.size() < fewest || node.size() > most) {
                        return wrong(
                                field, "must be a list of " + fewest + " to " + most + " objects.");
                    }
                    var list = sent.flatMap(object -> object.member(field));
                    var forms = new ArrayList<Form>();
                    for (var element : node) {
                        if (!(element instanceof ObjectNode inner)) {
                            return wrong(field, "must be a list of objects.");
                        }
                        int index = forms.size();
                        forms.add(
                                new Form(
                                        inner,
                                        path + field + "." + index + ".",
                                        mistakes,
                                        list.flatMap(each -> each.element(index))));
                    }
                    return forms;
                });
    }

    public Patch<List<String>> textList(String field, int most) {
        return read(
                field,
                node -> {
                    var texts = new ArrayList<String>();
                    for (var element : node) {
                        texts.add(element.isString() ? element.stringValue() : "");
                    }
                    boolean good = node.isArray() && texts.size() <= most && !texts.contains("");
                    return good ? texts : wrong(field, "must be a list of strings.");
                });
    }

    /// A list of strings, and what `parse` makes of each; its `IllegalArgumentException` is the
    /// complaint about that element.
    public <T> Patch<List<T>> parsedList(
            String field, int fewest, int most, Function<String, T> parse) {
        return read(
                field,
                node -> {
                    if (!node.isArray() || node.size() < fewest || node.size() > most) {
                        return wrong(
                                field, "must be a list of " + fewest + " to " + most + " strings.");
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
                            complain(field + "." + i, String.valueOf(e.getMessage()));
                        }
                    }
                    return values;
                });
    }

    /// Whatever stands there, null included; empty only when it was left out.
    public Optional<JsonValue> any(String field) {
        asked.add(field);
        return Optional.ofNullable(object.get(field))
                .map(node ->
                        sent.flatMap(object -> object.member(field))
                                .or(() ->
                                        JsonDocument.read(node.toString().getBytes(UTF_8))
                                                .map(JsonDocument::root))
                                .orElseThrow());
    }

    /// What `parse` makes of a string; its `IllegalArgumentException` is the complaint, a message
    /// that continues the field's name.
    public <T> Patch<T> parsed(String field, Function<String, T> parse) {
        return read(
                field,
                node -> {
                    if (!node.isString()) {
                        return wrong(field, "must be a string.");
                    }
                    try {
                        return parse.apply(node.stringValue());
                    } catch (IllegalArgumentException e) {
                        return wrong(field, String.valueOf(e.getMessage()));
                    }
                });
    }

    /// Whatever stands there is refused with `message`, null excepted.
    public void refuse(String field, String message) {
        var _ = read(field, _ -> wrong(field, message));
    }

    private <T> Patch<T> read(String field, Function<JsonNode, @Nullable T> reader) {
        asked.add(field);
        @Nullable JsonNode node = object.get(field);
        if (node == null) {
            return new Patch.Keep<>();
        }
        if (node.isNull()) {
            return new Patch.Clear<>();
        }
        @Nullable T value = reader.apply(node);
        return value == null ? new Patch.Keep<>() : new Patch.Set<>(value);
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // null is of every type
    private <T> @Nullable T wrong(String field, String message) {
        complain(field, message);
        return null;
    }

    /// Notes every field that nobody asked for.
    public Form nothingElse() {
        for (String field : object.propertyNames()) {
            if (!asked.contains(field)) {
                complain(field, "is not a field here.");
            }
        }
        return this;
    }

    /// @throws InvalidFields when any field was wrong or unknown
    public void check() {
        nothingElse();
        mistakes.check();
    }
}
