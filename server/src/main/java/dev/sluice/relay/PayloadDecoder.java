package dev.sluice.relay;

/// Decodes stored payloads. Everything that reads the headers or the body of an event uses it.
/// Reads from the database the dictionaries that it does not know yet.
///
/// Thread-safe.
public interface PayloadDecoder {

    /// How many bytes of a compressed body [#beginning] needs at most. A caller may cut off the
    /// rest when it reads the row.
    int BEGINNING_BYTES = 66_000;

    /// Returns the payload, exactly as it arrived. Its method is that of most webhooks; the caller
    /// sets another one.
    ///
    /// @throws UnreadablePayloadException if the payload or its dictionary is damaged or missing
    Payload decode(StoredPayload stored);

    /// Returns a payload of which only the beginnings of header lines and body are whole.
    ///
    /// @param stored the stored payload; a compressed body may end after [#BEGINNING_BYTES]
    /// @param headerBytes the maximum number of bytes of the header lines, at most 4 096
    /// @param bodyBytes the maximum number of bytes of the body, at most 4 096
    /// @throws UnreadablePayloadException if the payload or its dictionary is damaged or missing
    Payload beginning(StoredPayload stored, int headerBytes, int bodyBytes);
}
