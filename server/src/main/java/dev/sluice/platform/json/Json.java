package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Set;

/// Writes JSON, and parses JSON objects that users send.
///
/// Parsing is strict: duplicate names and text after the object are refused.
public final class Json {

    /// Parses strictly, so that the server never guesses and never silently drops part of the
    /// input.
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .build();

    private static final ObjectWriter WRITER =
            MAPPER.writer().without(StreamWriteFeature.AUTO_CLOSE_TARGET);

    /// The maximum length, in bytes, of a body that is parsed without counting its tokens. A body
    /// this short always has a parsed tree that is small enough.
    public static final int TOKEN_COUNT_THRESHOLD_BYTES = 256 * 1024;

    /// The maximum number of tokens in a body longer than `TOKEN_COUNT_THRESHOLD_BYTES`. This
    /// limits the memory that the parsed tree uses, because each token can take a hundred bytes.
    /// Tokens are values, names and closing brackets.
    private static final int MAX_TOKENS = 100_000;

    /// A body counts as empty or as `null` only if it is shorter than this, in bytes. The length
    /// includes any white space around the `null`.
    private static final int MAX_NULL_LENGTH = 100;

    private Json() {}

    public static byte[] bytes(JsonObject object) {
        return MAPPER.writeValueAsBytes(object.fields());
    }

    /// Writes the object to the stream, without ever having its whole text in memory. Does not
    /// close the stream.
    public static void write(JsonObject object, OutputStream out) throws IOException {
        try {
            WRITER.writeValue(out, object.fields());
        } catch (JacksonException e) {
            for (var cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof IOException failure) {
                    throw failure;
                }
            }
            throw e;
        }
    }

    public static String text(JsonObject object) {
        return MAPPER.writeValueAsString(object.fields());
    }

    /// Returns the text as a JSON string, with quotes and escapes.
    static String quoted(String text) {
        return MAPPER.writeValueAsString(text);
    }

    /// Parses a JSON object and returns a reader for its fields.
    ///
    /// @throws MalformedJsonException when the bytes are not a JSON object in UTF-8, or have too
    ///   many values
    public static FieldReader fieldReader(byte[] json) {
        return new FieldReader(object(json), JsonDocument.read(json));
    }

    /// Parses like `fieldReader`, but skips a byte order mark. For payloads of senders.
    public static FieldReader payloadReader(byte[] json) {
        return fieldReader(
                JsonScanner.hasByteOrderMark(json)
                        ? Arrays.copyOfRange(json, 3, json.length)
                        : json);
    }

    /// Parses like `fieldReader`, but treats an empty body or a JSON `null` as an object without
    /// fields. Some clients send `null` when they mean to send no body.
    public static FieldReader optionalFieldReader(byte[] json) {
        boolean isLeftOut =
                json.length < MAX_NULL_LENGTH
                        && Set.of("", "null").contains(new String(json, ISO_8859_1).strip());
        return fieldReader(isLeftOut ? "{}".getBytes(ISO_8859_1) : json);
    }

    private static ObjectNode object(byte[] json) {
        if (JsonScanner.hasByteOrderMark(json) || !JsonScanner.isUtf8(json)) {
            throw new MalformedJsonException(
                    "The body must be JSON in UTF-8, without a byte order mark.");
        }
        if (parse(json) instanceof ObjectNode object) {
            return object;
        }
        throw new MalformedJsonException("The body must be a JSON object.");
    }

    /// Parses JSON text. The parser's own messages are not passed on, because they quote the text,
    /// which may contain a secret.
    private static JsonNode parse(byte[] json) {
        try {
            if (json.length > TOKEN_COUNT_THRESHOLD_BYTES) {
                checkTokenCount(json);
            }
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw new MalformedJsonException("The body is not valid JSON" + position(e) + ".");
        } catch (ArithmeticException | NumberFormatException e) {
            throw new MalformedJsonException(
                    "The body has a number whose exponent does not fit into 32 bits.");
        }
    }

    private static String position(JacksonException e) {
        var location = e.getLocation();
        return location == null || location.getLineNr() < 1
                ? ""
                : ": see line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    private static void checkTokenCount(byte[] json) {
        int tokens = 0;
        try (var parser = MAPPER.createParser(json)) {
            while (parser.nextToken() != null) {
                if (++tokens > MAX_TOKENS) {
                    throw new MalformedJsonException("The body has too many JSON values.");
                }
            }
        }
    }
}
