package dev.sluice.engine;

import java.util.Optional;

/// A payload in the form in which it is stored: the columns `encoding`, `headers` and `body` of an
/// event. A [PayloadDecoder] turns it into a [Payload].
///
/// Immutable by convention: no code writes to the arrays passed in or returned.
public final class StoredPayload {

    /// The encoding of a payload whose headers and body are not compressed. The database stores
    /// null for it.
    public static final int PLAIN = -1;

    /// The encoding of a payload that is stored as one zstd frame without a dictionary.
    public static final int WITHOUT_DICTIONARY = 0;

    private final int encoding;
    private final byte[] headers;
    private final byte[] body;

    private StoredPayload(int encoding, byte[] headers, byte[] body) {
        this.encoding = encoding;
        this.headers = headers;
        this.body = body;
    }

    /// Returns a stored payload whose headers and body are not compressed.
    public static StoredPayload plain(Payload payload) {
        return new StoredPayload(PLAIN, payload.headerLines(), payload.body());
    }

    /// @param dictionary the number of the dictionary that the frame needs, or
    ///   [#WITHOUT_DICTIONARY]
    /// @param frame one zstd frame. It contains the length of the header lines (four bytes,
    ///   big-endian), the header lines and the body
    public static StoredPayload compressed(int dictionary, byte[] frame) {
        return new StoredPayload(dictionary, new byte[0], frame);
    }

    /// @param encoding the value of the column `encoding`; empty if the column is null, which means
    ///   that the payload is not compressed
    public static StoredPayload of(Optional<Integer> encoding, byte[] headers, byte[] body) {
        return new StoredPayload(encoding.orElse(PLAIN), headers, body);
    }

    /// Returns the number of the dictionary, or [#WITHOUT_DICTIONARY] or [#PLAIN].
    public int encoding() {
        return encoding;
    }

    public boolean isPlain() {
        return encoding == PLAIN;
    }

    /// Returns the stored header lines, or an empty array if the payload is compressed.
    public byte[] headers() {
        return headers;
    }

    /// Returns the stored body, or the zstd frame if the payload is compressed.
    public byte[] body() {
        return body;
    }

    /// Returns the total number of bytes in the stored headers and body.
    public int bytes() {
        return headers.length + body.length;
    }
}
