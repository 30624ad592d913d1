package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;

/// The byte-level rules for JSON from untrusted senders. They decide which texts are accepted and
/// where a value ends.
final class JsonScanner {

    /// The maximum depth of nested objects and arrays. A payload with deeper nesting, or with a
    /// number longer than `MAX_NUMBER_LENGTH` characters, does not count as JSON.
    static final int MAX_NESTING_DEPTH = 500;

    static final int MAX_NUMBER_LENGTH = 1000;

    /// The maximum length of a string or a name. It is larger than any payload that the server
    /// accepts.
    private static final int MAX_STRING_LENGTH = 1 << 24;

    private static final JsonFactory JSON_FACTORY =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(MAX_NESTING_DEPTH)
                                    .maxNumberLength(MAX_NUMBER_LENGTH)
                                    .maxStringLength(MAX_STRING_LENGTH)
                                    .maxNameLength(MAX_STRING_LENGTH)
                                    .build())
                    .build();

    private JsonScanner() {}

    /// Returns a parser whose byte offsets count from the beginning of `utf8`.
    static JsonParser parser(byte[] utf8) {
        return JSON_FACTORY.createParser(ObjectReadContext.empty(), utf8);
    }

    /// Whether the text begins with the byte order mark of UTF-8. JSON must not have one, but a
    /// receiver may skip it (RFC 8259, 8.1), and some senders send it.
    static boolean hasByteOrderMark(byte[] bytes) {
        return bytes.length >= 3
                && bytes[0] == (byte) 0xef
                && bytes[1] == (byte) 0xbb
                && bytes[2] == (byte) 0xbf;
    }

    /// Whether the bytes are valid UTF-8 and could begin a JSON text (see `isUtf8Start`). This
    /// check is needed because the parser also accepts other encodings and invalid sequences. The
    /// parser skips a byte order mark.
    static boolean isUtf8(byte[] bytes) {
        if (!isUtf8Start(bytes)) {
            return false;
        }
        var decoder = UTF_8.newDecoder();
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(Math.clamp(bytes.length, 16, 4096));
        CoderResult result;
        do {
            out.clear();
            result = decoder.decode(in, out, true);
        } while (result.isOverflow());
        return !result.isError();
    }

    /// Whether a text that begins with these bytes could be JSON in UTF-8, with or without a byte
    /// order mark.
    static boolean isUtf8Start(byte[] bytes) {
        for (int i = 0; i < Math.min(4, bytes.length); i++) {
            // JSON contains no unescaped NUL, and a NUL here would make the parser assume another
            // encoding.
            if (bytes[i] == 0) {
                return false;
            }
        }
        return true;
    }

    /// Returns the index after the value that begins at `from`. The text must be valid JSON.
    static int end(byte[] text, int from) {
        return switch (text[from]) {
            case '"' -> endOfString(text, from);
            case '{', '[' -> endOfContainer(text, from);
            default -> endOfWord(text, from);
        };
    }

    private static int endOfString(byte[] text, int from) {
        int at = from + 1;
        while (text[at] != '"') {
            at += text[at] == '\\' ? 2 : 1;
        }
        return at + 1;
    }

    private static int endOfContainer(byte[] text, int from) {
        int depth = 0;
        int at = from;
        do {
            switch (text[at]) {
                case '"' -> at = endOfString(text, at) - 1;
                case '{', '[' -> depth++;
                case '}', ']' -> depth--;
                default -> {}
            }
            at++;
        } while (depth > 0);
        return at;
    }

    /// Returns the index after a number, `true`, `false` or `null`.
    private static int endOfWord(byte[] text, int from) {
        int at = from;
        while (at < text.length && ",]} \t\r\n".indexOf(text[at]) < 0) {
            at++;
        }
        return at;
    }
}
