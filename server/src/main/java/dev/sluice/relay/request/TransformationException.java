package dev.sluice.relay.request;

/// Signals that the result of a transformation cannot be sent. The message is one sentence, which
/// is stored with the attempt.
public final class TransformationException extends Exception {

    TransformationException(String message) {
        super(message, null, false, false);
    }

    public String detail() {
        return String.valueOf(getMessage());
    }
}
