package dev.sluice.relay;

/// Thrown when the stored payload of an event cannot be decoded, because the payload or its
/// dictionary is damaged, or the dictionary is missing. Reading it again does not help.
public final class UnreadablePayloadException extends RuntimeException {

    public UnreadablePayloadException(String message) {
        super(message);
    }

    public UnreadablePayloadException(String message, RuntimeException cause) {
        super(message, cause);
    }
}
