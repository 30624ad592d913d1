package dev.sluice.gateway.destination;

import dev.sluice.platform.secret.Secret;

import java.util.Optional;

/// How Sluice authenticates its requests to a destination. Immutable.
public sealed interface AuthConfig {

    /// Sends no credential.
    record NoAuth() implements AuthConfig {}

    /// Sends an HMAC-SHA256 of `timestamp.body` in the `…-Signature` header, and the timestamp in
    /// the `…-Timestamp` header. Here, `…` stands for the prefix of the headers that Sluice itself
    /// sets ([dev.sluice.gateway.SluiceHeaders]).
    ///
    /// @param previousSecret used for a second signature while the secret is being rotated
    record HmacAuth(Secret secret, Optional<Secret> previousSecret) implements AuthConfig {}

    /// Signs requests as the Standard Webhooks specification (standardwebhooks.com) requires, with
    /// the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
    ///
    /// @param previousSecret used for a second signature while the secret is being rotated
    record StandardWebhooksAuth(Secret secret, Optional<Secret> previousSecret)
            implements AuthConfig {}

    /// Sends the key in a header whose name the user chooses.
    record ApiKeyAuth(String header, Secret key) implements AuthConfig {}

    /// Sends a user name and password as `Authorization: Basic` (RFC 7617), encoded in UTF-8.
    record HttpBasicAuth(String username, Secret password) implements AuthConfig {}

    /// A stored config that this node cannot read: it was encrypted with a different key, a later
    /// version wrote it, or the current rules refuse it. Deliveries to the destination are held.
    record UnreadableAuth() implements AuthConfig {}

    /// Whether the config has a secret. An unreadable config may have one.
    default boolean hasSecret() {
        return switch (this) {
            case NoAuth _ -> false;
            case HmacAuth _,
                    StandardWebhooksAuth _,
                    ApiKeyAuth _,
                    HttpBasicAuth _,
                    UnreadableAuth _ ->
                    true;
        };
    }
}
