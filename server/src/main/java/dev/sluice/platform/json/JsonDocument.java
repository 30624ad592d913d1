package dev.sluice.platform.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;

import java.util.Arrays;
import java.util.Optional;

/// A JSON text to look into, made for payloads of strangers: memory and time have bounds.
///
/// It keeps the text itself and one number for each value, at most four bytes for each byte of
/// text; values are read out of the text when somebody asks. Nothing in it is changed: numbers keep
/// all their digits. Of a name that an object has twice the last one counts.
///
/// One read with a bound of `effort` is owned by one thread; others are immutable.
public final class JsonDocument {

    /// A value or a name: where it begins in the text, and the index of what comes after it and all
    /// that it contains.
    private static final int PART = 28;

    private static final long MASK = (1L << PART) - 1;

    private final byte[] text;
    private final boolean isBounded;
    private long[] entries;
    private int size;
    private long effort;

    private JsonDocument(byte[] text, boolean isBounded, long effort) {
        this.text = text;
        this.isBounded = isBounded;
        this.effort = effort;
        this.entries = new long[Math.clamp(text.length / 8, 4, 1 << 12)];
    }

    /// Empty when it is not JSON: one value, in UTF-8 without a byte order mark, nested at most 500
    /// deep, numbers of at most 1 000 characters.
    public static Optional<JsonDocument> read(byte[] text) {
        return read(new JsonDocument(text, false, 0));
    }

    /// @param effort how many values may be looked at; what lies beyond is not found
    public static Optional<JsonDocument> read(byte[] text, long effort) {
        return read(new JsonDocument(text, true, effort));
    }

    private static Optional<JsonDocument> read(JsonDocument document) {
        boolean fits = document.text.length < MASK;
        return fits && JsonText.isPlain(document.text) && document.fill()
                ? Optional.of(document)
                : Optional.empty();
    }

    private boolean fill() {
        int[] open = new int[JsonText.MOST_DEPTH + 1];
        int depth = 0;
        try (var parser = JsonText.parser(text)) {
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY) {
                    depth--;
                    entries[open[depth]] |= size;
                    continue;
                }
                if (depth == 0 && size > 0) {
                    return false; // a second value
                }
                long offset = parser.currentTokenLocation().getByteOffset();
                if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
                    open[depth++] = size;
                    add(offset << PART);
                } else {
                    add((offset << PART) | (size + 1));
                }
            }
        } catch (JacksonException e) {
            return false;
        }
        return size > 0;
    }

    private void add(long entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        entries[size++] = entry;
    }

    public JsonValue root() {
        return new JsonValue(this, 0);
    }

    /// How many numbers of eight bytes it holds beside the text.
    int entries() {
        return entries.length;
    }

    byte[] text() {
        return text;
    }

    int offset(int entry) {
        return (int) (entries[entry] >>> PART);
    }

    int after(int entry) {
        return (int) (entries[entry] & MASK);
    }

    /// Whether there is effort left for so much more.
    boolean spend(long cost) {
        if (isBounded) {
            effort -= cost;
            return effort >= 0;
        }
        return true;
    }
}
