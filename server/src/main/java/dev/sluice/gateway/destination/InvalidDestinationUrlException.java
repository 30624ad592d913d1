package dev.sluice.gateway.destination;

/// Thrown when a string is not a valid destination URL.
///
/// The message is shown to the user after the path of the field, so it has no subject.
public final class InvalidDestinationUrlException extends IllegalArgumentException {

    /// @param message the message without its final period
    InvalidDestinationUrlException(String message) {
        super(message + ".");
    }
}
