package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;

/// JSON as bytes: what counts as JSON here, and where a value ends.
final class JsonText {

    /// Deeper payloads, and those with longer numbers, do not count as JSON.
    static final int MOST_DEPTH = 500;

    static final int MOST_DIGITS = 1000;

    /// Of a string or a name; more than any payload has.
    private static final int MOST_CHARACTERS = 1 << 24;

    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(MOST_DEPTH)
                                    .maxNumberLength(MOST_DIGITS)
                                    .maxStringLength(MOST_CHARACTERS)
                                    .maxNameLength(MOST_CHARACTERS)
                                    .build())
                    .build();

    private JsonText() {}

    /// Its byte offsets are those of `utf8`.
    static JsonParser parser(byte[] utf8) {
        return FACTORY.createParser(ObjectReadContext.empty(), utf8);
    }

    /// Whether the bytes are UTF-8 without a byte order mark: the parser alone would also take
    /// other encodings, and sequences that are not valid.
    static boolean isPlain(byte[] bytes) {
        for (int i = 0; i < Math.min(4, bytes.length); i++) {
            // NUL and U+FEFF stand in no JSON text; the parser would guess another encoding by them
            if (bytes[i] == 0 || (i == 0 && bytes[i] == (byte) 0xef)) {
                return false;
            }
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

    /// The index after the value that begins at `from`. The text is known to be valid.
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

    /// A number, `true`, `false` or `null`.
    private static int endOfWord(byte[] text, int from) {
        int at = from;
        while (at < text.length && ",]} \t\r\n".indexOf(text[at]) < 0) {
            at++;
        }
        return at;
    }
}
