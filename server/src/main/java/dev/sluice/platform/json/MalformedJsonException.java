package dev.sluice.platform.json;

/// Thrown to refuse a body that is not JSON, or not a JSON object. The message is shown to the
/// sender.
public final class MalformedJsonException extends RuntimeException {
    MalformedJsonException(String message) {
        super(message);
    }
}
