package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/// A text to compare with the names and strings in JSON documents. It is encoded once, so that each
/// comparison is cheap. Immutable.
public final class JsonText {

    private static final int COMPARISON_COST = 12;

    /// The number of bytes that can be compared for one unit of effort.
    private static final int BYTES_PER_EFFORT = 4;

    private final String text;
    private final byte[] utf8;

    /// Whether the encoded text can be compared directly with the bytes of a JSON string. If not,
    /// the string is decoded character by character.
    private final boolean isPlain;

    private JsonText(String text) {
        this.text = text;
        this.utf8 = text.getBytes(UTF_8);
        this.isPlain =
                text.indexOf('"') < 0
                        && text.indexOf('\\') < 0
                        && UTF_8.newEncoder().canEncode(text);
    }

    public static JsonText of(String text) {
        return new JsonText(text);
    }

    /// Whether the name or string at offset `from` equals this text.
    ///
    /// Most strings differ from this text in their first bytes. A string is read character by
    /// character only if the first difference is an escape in the string, or if this text contains
    /// a quote, a backslash or a lone surrogate.
    ///
    /// @param json valid JSON
    /// @param from the offset of the string's opening quote
    boolean isWrittenAt(byte[] json, int from, Effort effort) {
        int begin = from + 1;
        int end = begin + utf8.length;
        if (isPlain) {
            int compared = Math.min(end, json.length) - begin;
            int same = Arrays.mismatch(json, begin, begin + compared, utf8, 0, compared);
            same = same < 0 ? compared : same;
            effort.spend(COMPARISON_COST + same / BYTES_PER_EFFORT);
            byte next = json[begin + same];
            if (next != '\\') {
                return next == '"' && same == utf8.length;
            }
        }
        return new JsonStringReader(json, from, effort).readsAs(text);
    }
}
