package dev.sluice.gateway.destination;

/// Thrown if a text is not a valid destination URL.
///
/// The message is meant for the user and is to be appended to the field's path.
public final class InvalidDestinationUrlException extends IllegalArgumentException {

    /// @param message without the full stop
    InvalidDestinationUrlException(String message) {
        super(message + ".");
    }
}
