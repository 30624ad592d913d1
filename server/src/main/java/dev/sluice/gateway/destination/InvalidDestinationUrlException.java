package dev.sluice.gateway.destination;

/// Thrown when a string is not a valid destination URL.
///
/// The message is meant for the user, to be appended to the field's path.
public final class InvalidDestinationUrlException extends IllegalArgumentException {

    /// @param message the message without its full stop
    InvalidDestinationUrlException(String message) {
        super(message + ".");
    }
}
