package dev.sluice.platform.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;

import java.util.Arrays;
import java.util.Optional;

/// A parsed JSON text, for payloads from untrusted senders. Its memory and parsing time are
/// bounded.
///
/// It keeps the text and an index with one eight-byte entry for each name and value. Values are
/// decoded from the text on demand, so numbers keep all their digits. If an object has several
/// members with the same name, the last one counts.
///
/// If a document was read with an [Effort], later look-ups in it spend that effort, and it is not
/// thread-safe. Other documents are immutable.
public final class JsonDocument {

    /// How an index entry is divided: its low `INDEX_BITS` bits contain the index of the next entry
    /// after the value and its contents. Its high bits contain the offset of the value or name in
    /// the text.
    private static final int INDEX_BITS = 28;

    private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;

    private final byte[] text;
    private final Effort effort;
    private long[] entries;
    private int size;

    private JsonDocument(byte[] text, Effort effort) {
        this.text = text;
        this.effort = effort;
        this.entries = new long[Math.clamp(text.length / 8, 4, 1 << 12)];
    }

    /// Reads one JSON value in UTF-8, with or without a byte order mark. Returns empty if the text
    /// is not JSON, or has 2^28 - 1 bytes (256 MiB) or more. Also returns empty if the text is
    /// nested more than 500 levels deep or contains a number of more than 1,000 characters.
    public static Optional<JsonDocument> read(byte[] text) {
        return read(text, Effort.unlimited());
    }

    /// Reads one JSON value as `read(byte[])` does. Later look-ups in the document spend `effort`;
    /// reading the text itself spends none.
    public static Optional<JsonDocument> read(byte[] text, Effort effort) {
        return read(new JsonDocument(text, effort));
    }

    private static Optional<JsonDocument> read(JsonDocument document) {
        boolean fits = document.text.length < INDEX_MASK;
        return fits && JsonScanner.isUtf8(document.text) && document.fill()
                ? Optional.of(document)
                : Optional.empty();
    }

    private boolean fill() {
        int[] open = new int[JsonScanner.MAX_NESTING_DEPTH + 1];
        int depth = 0;
        try (var parser = JsonScanner.parser(text)) {
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY) {
                    depth--;
                    entries[open[depth]] |= size;
                    continue;
                }
                if (depth == 0 && size > 0) {
                    return false; // a second value follows the first
                }
                long offset = parser.currentTokenLocation().getByteOffset();
                if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
                    open[depth++] = size;
                    add(offset << INDEX_BITS);
                } else {
                    add((offset << INDEX_BITS) | (size + 1));
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

    /// Returns the number of names and values.
    public int size() {
        return size;
    }

    /// Returns the capacity of the index in entries. Each entry takes eight bytes.
    int entries() {
        return entries.length;
    }

    byte[] text() {
        return text;
    }

    /// Returns the offset in the text at which the value or name begins.
    int offset(int entry) {
        return (int) (entries[entry] >>> INDEX_BITS);
    }

    /// Returns the index of the next entry after this value and its contents.
    int indexAfter(int entry) {
        return (int) (entries[entry] & INDEX_MASK);
    }

    /// Returns an upper bound for the offset at which this name, string, number or literal (`true`,
    /// `false` or `null`) ends. This is the offset of the next name or value, or the length of the
    /// text.
    int endOfScalar(int entry) {
        return entry + 1 < size ? offset(entry + 1) : text.length;
    }

    Effort effort() {
        return effort;
    }
}
