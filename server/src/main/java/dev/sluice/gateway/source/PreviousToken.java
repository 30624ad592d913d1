package dev.sluice.gateway.source;

import java.time.Instant;

/// The token that a source had before its latest rotation.
///
/// @param endsAt when the token expires; until then, webhooks sent to it are accepted
public record PreviousToken(String token, Instant endsAt) {

    /// Omits the token, because anyone who knows the token can send webhooks to the source.
    @Override
    public String toString() {
        return "until " + endsAt;
    }
}
