package dev.sluice.gateway.destination;

/// Thrown when a string cannot be used as a destination URL.
///
/// The message has no subject, because the user sees it after the path of the field that contains
/// the URL.
public final class InvalidDestinationUrlException extends IllegalArgumentException {

    /// @param message the message without its final period
    InvalidDestinationUrlException(String message) {
        super(message + ".");
    }
}
