package dev.sluice.gateway.destination;

import dev.sluice.platform.secret.Secret;

import java.util.Optional;

/// How a delivery proves to its destination where it comes from.
public sealed interface Auth {

    /// Nothing is sent.
    record None() implements Auth {}

    /// HMAC-SHA256 over `timestamp.body`, in the three headers of the house.
    ///
    /// @param previousSecret signs beside `secret` while it is being replaced
    record Hmac(Secret secret, Optional<Secret> previousSecret) implements Auth {}

    /// The convention of standardwebhooks.com: `webhook-id`, `webhook-timestamp`,
    /// `webhook-signature`.
    record StandardWebhooks(Secret secret, Optional<Secret> previousSecret) implements Auth {}

    /// The key, in the header of that name.
    record ApiKey(String header, Secret key) implements Auth {}

    /// `Authorization: Basic` (RFC 7617, UTF-8).
    record BasicAuth(String username, Secret password) implements Auth {}
}
