package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Predicate;

/// One value of a [JsonDocument]: an object, array, string, number, boolean or null.
///
/// An accessor for a type returns empty if the value has a different type. Decoding a string or
/// number, or visiting a member or element, spends the document's [Effort].
public final class JsonValue {

    public enum JsonType {
        OBJECT,
        ARRAY,
        STRING,
        NUMBER,
        BOOLEAN,
        NULL
    }

    private static final int DECODING_COST = 16;

    /// The cost per character of decoding a string that has escapes.
    private static final int UNESCAPING_COST = 3;

    private static final int NUMBER_COST = 24;

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
        return type() == JsonType.STRING ? endOfString() : JsonScanner.end(document.text(), from());
    }

    /// Returns the offset after the closing quote. Searches for the quote backwards from the next
    /// name or value, because only white space and punctuation can come between the quote and that
    /// name or value.
    private int endOfString() {
        int end = document.endOfScalar(entry);
        while (document.text()[end - 1] != '"') {
            end--;
        }
        return end;
    }

    /// Returns the length of the value's text in bytes.
    public int length() {
        return end() - from();
    }

    /// Returns the value's text, unchanged.
    public RawJson raw() {
        return new RawJson(new String(document.text(), from(), length(), UTF_8));
    }

    /// Returns the string without its quotes and with its escapes decoded, or empty when the value
    /// is not a string.
    public Optional<String> string() {
        if (type() != JsonType.STRING) {
            return Optional.empty();
        }
        document.effort().spend(DECODING_COST + document.endOfScalar(entry) - from());
        int from = from() + 1;
        int length = length() - 2;
        String written = new String(document.text(), from, length, UTF_8);
        return Optional.of(written.indexOf('\\') < 0 ? written : unescaped(written));
    }

    private String unescaped(String written) {
        document.effort().spend((long) UNESCAPING_COST * written.length());
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

    /// Whether the string equals this text. The value must be a string.
    boolean isString(JsonText string) {
        return string.isWrittenAt(document.text(), from(), document.effort());
    }

    Effort effort() {
        return document.effort();
    }

    /// Returns a reader of the string's characters. The value must be a string.
    JsonStringReader stringReader() {
        return new JsonStringReader(document.text(), from(), document.effort());
    }

    /// Returns the number, or empty when the value is not a number or `JsonNumber.read` refuses it
    /// because its scale does not fit in 32 bits.
    public Optional<JsonNumber> number() {
        if (type() != JsonType.NUMBER) {
            return Optional.empty();
        }
        document.effort().spend(NUMBER_COST);
        var number = JsonNumber.read(document.text(), from());
        number.ifPresent(read -> document.effort().spend(3L * read.writtenLength()));
        return number;
    }

    /// Returns the boolean, or empty when the value is neither `true` nor `false`.
    public Optional<Boolean> bool() {
        return type() == JsonType.BOOLEAN
                ? Optional.of(document.text()[from()] == 't')
                : Optional.empty();
    }

    /// Returns the last member with that name, or empty when the value is not an object or has no
    /// such member.
    public Optional<JsonValue> member(JsonText name) {
        if (type() != JsonType.OBJECT) {
            return Optional.empty();
        }
        var effort = document.effort();
        int found = -1;
        for (int at = entry + 1;
                at < document.indexAfter(entry);
                at = document.indexAfter(at + 1)) {
            effort.spend(Effort.VISIT_COST);
            if (name.isWrittenAt(document.text(), document.offset(at), effort)) {
                found = at + 1;
            }
        }
        return found < 0 ? Optional.empty() : Optional.of(new JsonValue(document, found));
    }

    public Optional<JsonValue> member(String name) {
        return member(JsonText.of(name));
    }

    /// Returns the array element at a 0-based index, or empty when the value is not an array or the
    /// array is too short.
    public Optional<JsonValue> element(int index) {
        if (type() != JsonType.ARRAY) {
            return Optional.empty();
        }
        int at = entry + 1;
        for (int left = index; left > 0 && at < document.indexAfter(entry); left--) {
            document.effort().spend(Effort.VISIT_COST);
            at = document.indexAfter(at);
        }
        return at < document.indexAfter(entry)
                ? Optional.of(new JsonValue(document, at))
                : Optional.empty();
    }

    /// Whether the value is an array and at least one element matches the condition.
    public boolean anyElement(Predicate<JsonValue> condition) {
        if (type() == JsonType.ARRAY) {
            for (var left = children(); left.hasNext(); ) {
                if (condition.test(left.next())) {
                    return true;
                }
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
    /// object. If several members have the same name, the last one counts.
    public Map<String, JsonValue> members() {
        var members = new LinkedHashMap<String, JsonValue>();
        if (type() == JsonType.OBJECT) {
            for (var left = children(); left.hasNext(); ) {
                members.put(left.next().string().orElseThrow(), left.next());
            }
        }
        return members;
    }

    /// Returns the elements of an array, or, for an object, its names and values in alternation.
    Iterator<JsonValue> children() {
        return new Children();
    }

    private final class Children implements Iterator<JsonValue> {

        private int next = entry + 1;

        @Override
        public boolean hasNext() {
            return next < document.indexAfter(entry);
        }

        @Override
        public JsonValue next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            document.effort().spend(Effort.VISIT_COST);
            var child = new JsonValue(document, next);
            next = document.indexAfter(next);
            return child;
        }
    }
}
