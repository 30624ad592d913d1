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

/// A value of a [JsonDocument].
public final class JsonValue {

    public enum Kind {
        OBJECT,
        ARRAY,
        STRING,
        NUMBER,
        BOOLEAN,
        NULL
    }

    /// A string this long costs as much effort as a value more.
    private static final int CHARACTERS = 16;

    private final JsonDocument document;
    private final int entry;

    JsonValue(JsonDocument document, int entry) {
        this.document = document;
        this.entry = entry;
    }

    public Kind kind() {
        return switch (document.text()[from()]) {
            case '{' -> Kind.OBJECT;
            case '[' -> Kind.ARRAY;
            case '"' -> Kind.STRING;
            case 't', 'f' -> Kind.BOOLEAN;
            case 'n' -> Kind.NULL;
            default -> Kind.NUMBER;
        };
    }

    private int from() {
        return document.offset(entry);
    }

    private int end() {
        return JsonText.end(document.text(), from());
    }

    /// How many bytes of text it takes.
    public int length() {
        return end() - from();
    }

    /// As it stands in the text.
    public RawJson raw() {
        return new RawJson(new String(document.text(), from(), length(), UTF_8));
    }

    /// Empty when it is not a string.
    public Optional<String> string() {
        if (kind() != Kind.STRING) {
            return Optional.empty();
        }
        int from = from() + 1;
        int length = length() - 2;
        if (!document.spend(length / CHARACTERS)) {
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

    /// With all its digits. Empty when it is not a number, or its exponent has more than 32 bits.
    ///
    /// Compare it with `compareTo` only: made into an integer or written out, `1e999999999` would
    /// take a gigabyte.
    public Optional<BigDecimal> number() {
        if (kind() != Kind.NUMBER) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BigDecimal(raw().text()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /// Empty when it is neither `true` nor `false`.
    public Optional<Boolean> bool() {
        return kind() == Kind.BOOLEAN
                ? Optional.of(document.text()[from()] == 't')
                : Optional.empty();
    }

    /// The object's member of that name, the last of them; empty when this is not an object.
    public Optional<JsonValue> member(String name) {
        if (kind() != Kind.OBJECT) {
            return Optional.empty();
        }
        byte[] utf8 = name.getBytes(UTF_8);
        int found = -1;
        for (int at = entry + 1; at < document.after(entry); at = document.after(at + 1)) {
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
        // An escape makes the written name longer than the name.
        int written = JsonText.end(text, from - 1) - 1 - from;
        return written > utf8.length
                && new JsonValue(document, at).string().filter(name::equals).isPresent();
    }

    /// The array's element at a 0-based index; empty when this is not an array, or ends before.
    public Optional<JsonValue> element(int index) {
        if (kind() != Kind.ARRAY) {
            return Optional.empty();
        }
        int left = index;
        for (int at = entry + 1; at < document.after(entry); at = document.after(at)) {
            if (!document.spend(1)) {
                return Optional.empty();
            }
            if (left-- == 0) {
                return Optional.of(new JsonValue(document, at));
            }
        }
        return Optional.empty();
    }

    /// Whether this is an array of which one element meets the condition.
    public boolean anyElement(Predicate<JsonValue> condition) {
        if (kind() != Kind.ARRAY) {
            return false;
        }
        for (int at = entry + 1; at < document.after(entry); at = document.after(at)) {
            if (!document.spend(1)) {
                return false;
            }
            if (condition.test(new JsonValue(document, at))) {
                return true;
            }
        }
        return false;
    }

    /// The array's elements; none when this is not an array.
    public List<JsonValue> elements() {
        var elements = new ArrayList<JsonValue>();
        anyElement(element -> !elements.add(element));
        return elements;
    }

    /// The object's members by name, in order; none when this is not an object.
    public Map<String, JsonValue> members() {
        var members = new LinkedHashMap<String, JsonValue>();
        if (kind() == Kind.OBJECT) {
            for (int at = entry + 1; at < document.after(entry); at = document.after(at + 1)) {
                if (!document.spend(1)) {
                    break;
                }
                String name = new JsonValue(document, at).string().orElse("");
                members.put(name, new JsonValue(document, at + 1));
            }
        }
        return members;
    }

    /// Whether both are the same: numbers by value, strings by their characters, arrays element by
    /// element, objects member by member in any order.
    public boolean isSame(JsonValue other) {
        if (kind() != other.kind()) {
            return false;
        }
        return switch (kind()) {
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
            if (at >= document.after(entry)
                    || !document.spend(1)
                    || !new JsonValue(document, at).isSame(theirs)) {
                return false;
            }
            at = document.after(at);
        }
        return at == document.after(entry);
    }

    private boolean isSameObject(Map<String, JsonValue> others) {
        for (int at = entry + 1; at < document.after(entry); at = document.after(at + 1)) {
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
