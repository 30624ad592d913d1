package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// One value of a [JsonDocument]: an object, array, string, number, boolean or null.
///
/// An accessor returns empty when the value has another type. Look-ups and string accessors also
/// return empty once the document's effort, its limit on such work, is used up.
public final class JsonValue {

    public enum JsonType {
        OBJECT,
        ARRAY,
        STRING,
        NUMBER,
        BOOLEAN,
        NULL
    }

    /// How many characters of a string can be read for the effort of visiting one value.
    private static final int CHARACTERS_PER_EFFORT = 16;

    private final JsonDocument document;
    private final int entry;

    JsonValue(JsonDocument document, int entry) {
        this.document = document;
        this.entry = entry;
    }

    public JsonType type() {
        return switch (document.text()[from()]) {
            case '{' -> JsonType.OBJECT;
            case '[' -> JsonType.ARRAY;
            case '"' -> JsonType.STRING;
            case 't', 'f' -> JsonType.BOOLEAN;
            case 'n' -> JsonType.NULL;
            default -> JsonType.NUMBER;
        };
    }

    private int from() {
        return document.offset(entry);
    }

    private int end() {
        return JsonScanner.end(document.text(), from());
    }

    /// Returns the length of the value's text in bytes.
    public int length() {
        return end() - from();
    }

    /// Returns the value's text, unchanged.
    public RawJson raw() {
        return new RawJson(new String(document.text(), from(), length(), UTF_8));
    }

    /// Returns the string without quotes and escapes, or empty when the value is not a string.
    public Optional<String> string() {
        if (type() != JsonType.STRING) {
            return Optional.empty();
        }
        int from = from() + 1;
        int length = length() - 2;
        if (!document.spend(length / CHARACTERS_PER_EFFORT)) {
            return Optional.empty();
        }
        String written = new String(document.text(), from, length, UTF_8);
        return Optional.of(written.indexOf('\\') < 0 ? written : unescaped(written));
    }

    private static String unescaped(String written) {
        var text = new StringBuilder(written.length());
        for (int i = 0; i < written.length(); i++) {
            char c = written.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            char escaped = written.charAt(++i);
            switch (escaped) {
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'u' -> {
                    text.append((char) Integer.parseInt(written, i + 1, i + 5, 16));
                    i += 4;
                }
                default -> text.append(escaped);
            }
        }
        return text.toString();
    }

    /// Returns the number with all its digits. Empty when the value is not a number, or when its
    /// exponent does not fit in 32 bits.
    ///
    /// Callers must only use `compareTo` on the result. Converting `1e999999999` to an integer or
    /// to plain notation would take a gigabyte of memory.
    public Optional<BigDecimal> number() {
        if (type() != JsonType.NUMBER) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BigDecimal(raw().text()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /// Returns the boolean, or empty when the value is neither `true` nor `false`.
    public Optional<Boolean> bool() {
        return type() == JsonType.BOOLEAN
                ? Optional.of(document.text()[from()] == 't')
                : Optional.empty();
    }

    /// Returns the last member of that name. Empty when the value is not an object or has no such
    /// member.
    public Optional<JsonValue> member(String name) {
        if (type() != JsonType.OBJECT) {
            return Optional.empty();
        }
        byte[] utf8 = name.getBytes(UTF_8);
        int found = -1;
        for (int at = entry + 1;
                at < document.indexAfter(entry);
                at = document.indexAfter(at + 1)) {
            if (!document.spend(1)) {
                return Optional.empty();
            }
            if (isNamed(at, name, utf8)) {
                found = at + 1;
            }
        }
        return found < 0 ? Optional.empty() : Optional.of(new JsonValue(document, found));
    }

    private boolean isNamed(int at, String name, byte[] utf8) {
        byte[] text = document.text();
        int from = document.offset(at) + 1;
        int end = from + utf8.length;
        if (end < text.length
                && text[end] == '"'
                && Arrays.equals(text, from, end, utf8, 0, utf8.length)) {
            return true;
        }
        // A name written with escapes is longer than the name that it represents.
        int written = JsonScanner.end(text, from - 1) - 1 - from;
        return written > utf8.length
                && new JsonValue(document, at).string().filter(name::equals).isPresent();
    }

    /// Returns the array element at a 0-based index. Empty when the value is not an array or the
    /// array is too short.
    public Optional<JsonValue> element(int index) {
        if (type() != JsonType.ARRAY) {
            return Optional.empty();
        }
        int left = index;
        for (int at = entry + 1; at < document.indexAfter(entry); at = document.indexAfter(at)) {
            if (!document.spend(1)) {
                return Optional.empty();
            }
            if (left-- == 0) {
                return Optional.of(new JsonValue(document, at));
            }
        }
        return Optional.empty();
    }

    /// Whether the value is an array and at least one element matches the condition.
    public boolean anyElement(Predicate<JsonValue> condition) {
        if (type() != JsonType.ARRAY) {
            return false;
        }
        for (int at = entry + 1; at < document.indexAfter(entry); at = document.indexAfter(at)) {
            if (!document.spend(1)) {
                return false;
            }
            if (condition.test(new JsonValue(document, at))) {
                return true;
            }
        }
        return false;
    }

    /// Returns the array's elements, or an empty list when the value is not an array.
    public List<JsonValue> elements() {
        var elements = new ArrayList<JsonValue>();
        anyElement(element -> !elements.add(element));
        return elements;
    }

    /// Returns the object's members by name, in order, or an empty map when the value is not an
    /// object.
    public Map<String, JsonValue> members() {
        var members = new LinkedHashMap<String, JsonValue>();
        if (type() == JsonType.OBJECT) {
            for (int at = entry + 1;
                    at < document.indexAfter(entry);
                    at = document.indexAfter(at + 1)) {
                if (!document.spend(1)) {
                    break;
                }
                String name = new JsonValue(document, at).string().orElse("");
                members.put(name, new JsonValue(document, at + 1));
            }
        }
        return members;
    }

    /// Whether both values are equal as JSON. Numbers are compared by value and strings after
    /// unescaping. Arrays are compared element by element, and objects member by member in any
    /// order.
    public boolean isSame(JsonValue other) {
        if (type() != other.type()) {
            return false;
        }
        return switch (type()) {
            case NULL -> true;
            case BOOLEAN -> bool().equals(other.bool());
            case STRING -> string().isPresent() && string().equals(other.string());
            case NUMBER -> isSameNumber(other);
            case ARRAY -> isSameArray(other.elements());
            case OBJECT -> isSameObject(other.members());
        };
    }

    private boolean isSameNumber(JsonValue other) {
        var mine = number();
        var theirs = other.number();
        return mine.isPresent() && theirs.isPresent() && mine.get().compareTo(theirs.get()) == 0;
    }

    private boolean isSameArray(List<JsonValue> others) {
        int at = entry + 1;
        for (var theirs : others) {
            if (at >= document.indexAfter(entry)
                    || !document.spend(1)
                    || !new JsonValue(document, at).isSame(theirs)) {
                return false;
            }
            at = document.indexAfter(at);
        }
        return at == document.indexAfter(entry);
    }

    private boolean isSameObject(Map<String, JsonValue> others) {
        for (int at = entry + 1;
                at < document.indexAfter(entry);
                at = document.indexAfter(at + 1)) {
            var name = new JsonValue(document, at).string();
            if (!document.spend(1) || name.isEmpty() || !others.containsKey(name.get())) {
                return false;
            }
        }
        return others.entrySet().stream()
                .allMatch(theirs ->
                        member(theirs.getKey())
                                .filter(mine -> mine.isSame(theirs.getValue()))
                                .isPresent());
    }
}
