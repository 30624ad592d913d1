package dev.sluice.engine;

/// Decodes stored payloads. All code that needs the headers or the body of an event uses this
/// decoder. It reads compression dictionaries from the database when it first needs them.
///
/// Thread-safe.
public interface PayloadDecoder {

    /// The maximum number of bytes that [#beginning] needs from a compressed body. A caller that
    /// reads the row for [#beginning] may leave out the rest of the body.
    int BEGINNING_BYTES = 66_000;

    /// Returns the payload as it was before it was encoded. The method is `POST`, because the
    /// stored form does not contain the method; a caller that needs another method sets it.
    ///
    /// @throws UnreadablePayloadException if the payload or its dictionary is damaged, or if the
    ///   dictionary is missing
    Payload decode(StoredPayload stored);

    /// Returns a payload that contains only the beginning of the header lines and the beginning of
    /// the body.
    ///
    /// @param stored the stored payload; if its body is compressed, the body may be cut off after
    ///   [#BEGINNING_BYTES]
    /// @param headerBytes the maximum number of bytes to return from the header lines; must not
    ///   exceed 4,096
    /// @param bodyBytes the maximum number of bytes to return from the body; must not exceed 4,096
    /// @throws UnreadablePayloadException if the payload or its dictionary is damaged, or if the
    ///   dictionary is missing
    Payload beginning(StoredPayload stored, int headerBytes, int bodyBytes);
}
