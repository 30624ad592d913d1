package dev.sluice.gateway.destination;

/// A URL that no destination can have. The message is meant for the user and continues the field's
/// name.
public final class UrlRefused extends IllegalArgumentException {

    UrlRefused(String message) {
        super(message);
    }
}
