package dev.sluice.relay.request;

/// Signals that a request cannot be built, because the result of its transformation cannot be sent
/// or a setting cannot be read. The message is one sentence, which is stored with the attempt.
public final class TransformationException extends Exception {

    TransformationException(String message) {
        super(message, null, false, false);
    }

    public String detail() {
        return String.valueOf(getMessage());
    }
}
