package dev.sluice.platform.json;

/// Thrown to refuse a body that is not a JSON object in UTF-8, has too many values, or contains a
/// number whose exponent is too large. The message is shown to the sender.
public final class MalformedJsonException extends RuntimeException {
    MalformedJsonException(String message) {
        super(message);
    }
}
