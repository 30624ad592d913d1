package dev.sluice.platform.json;

/// Reads one JSON string character by character, decoding escapes as it goes, without copying the
/// string.
///
/// Characters are UTF-16 code units, as in `String`. The reader spends its [Effort] once for each
/// block of 16 bytes. Not thread-safe.
final class JsonStringReader {

    private static final int BLOCK_BYTES = 16;
    private static final int BLOCK_COST = 4 * BLOCK_BYTES;

    private final byte[] text;
    private final Effort effort;
    private int at;
    private int paidTo;

    /// The second half of a surrogate pair if its first half was the last character returned;
    /// otherwise -1.
    private int pending = -1;

    /// @param text valid JSON in UTF-8
    /// @param from the offset of the opening quote
    JsonStringReader(byte[] text, int from, Effort effort) {
        this.text = text;
        this.effort = effort;
        this.at = from + 1;
        this.paidTo = at;
    }

    /// Returns the next character, or -1 at the end of the string.
    int next() {
        if (pending >= 0) {
            int second = pending;
            pending = -1;
            return second;
        }
        if (at >= paidTo) {
            effort.spend(BLOCK_COST);
            paidTo = at + BLOCK_BYTES;
        }
        int first = text[at];
        if (first == '"') {
            return -1;
        }
        if (first == '\\') {
            return escaped();
        }
        at++;
        return first >= 0 ? first : multibyte(first);
    }

    /// Whether the string consists of exactly these characters. Stops reading at the first
    /// difference.
    boolean readsAs(String other) {
        for (int i = 0; i < other.length(); i++) {
            if (next() != other.charAt(i)) {
                return false;
            }
        }
        return next() < 0;
    }

    private int escaped() {
        int escape = text[at + 1];
        at += 2;
        return switch (escape) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int unit = 0;
                for (int end = at + 4; at < end; at++) {
                    unit = 16 * unit + Character.digit(text[at], 16);
                }
                yield unit;
            }
            default -> escape;
        };
    }

    /// Decodes a UTF-8 sequence of two to four bytes.
    ///
    /// @param first the first byte of the sequence; `at` is already the offset after it
    private int multibyte(int first) {
        if ((first & 0xe0) == 0xc0) {
            return (first & 0x1f) << 6 | continuation();
        }
        if ((first & 0xf0) == 0xe0) {
            return (first & 0x0f) << 12 | continuation() << 6 | continuation();
        }
        int codePoint =
                (first & 0x07) << 18 | continuation() << 12 | continuation() << 6 | continuation();
        pending = Character.lowSurrogate(codePoint);
        return Character.highSurrogate(codePoint);
    }

    private int continuation() {
        return text[at++] & 0x3f;
    }
}
