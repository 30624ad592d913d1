package dev.sluice.engine.send;

/// Thrown when a request cannot be built, either because its transformation produces something that
/// cannot be sent or because a setting cannot be read. The message is one sentence and is stored
/// with the attempt.
public final class TransformationException extends Exception {

    TransformationException(String message) {
        super(message, null, false, false);
    }

    public String detail() {
        return String.valueOf(getMessage());
    }
}
