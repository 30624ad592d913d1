package dev.sluice.engine;

import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

/// Thrown when an event's stored payload cannot be decoded, because the payload or its dictionary
/// is damaged or the dictionary is missing. Reading the payload again would not help.
public final class UnreadablePayloadException extends RuntimeException {

    public UnreadablePayloadException(String message) {
        super(message);
    }

    public UnreadablePayloadException(String message, RuntimeException cause) {
        super(message, cause);
    }

    /// Returns the error reply to a request about this event: a 500 with a message that describes
    /// the damage.
    public ApiException answer() {
        return new ApiException(
                ApiErrorCode.INTERNAL_ERROR,
                "The event's stored payload cannot be read: it or its dictionary is damaged or"
                        + " missing. Trying again does not help; only the sender still has it, or a"
                        + " backup.");
    }
}
