package dev.sluice.account.access;

import java.util.Locale;
import java.util.Map;

/// What an API key may do in its workspace.
enum KeyAccess {
    /// Requests with any method.
    FULL,
    /// Only `GET` and `HEAD` requests, so that a developer's key cannot delete anything.
    READ;

    static final Map<String, KeyAccess> BY_TEXT = Map.of("full", FULL, "read", READ);

    /// Returns this access level as it appears in JSON and in the database, such as `full`.
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// @throws IllegalArgumentException if no access level has this text
    static KeyAccess parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    /// Whether a key may send a request with this HTTP method.
    boolean allows(String method) {
        return this == FULL || method.equals("GET") || method.equals("HEAD");
    }
}
