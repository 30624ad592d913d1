package dev.sluice.relay.signature;

import dev.sluice.relay.signature.SignatureScheme.SignatureLayout;
import dev.sluice.relay.signature.SignatureScheme.TimestampLocation;

/// The scheme by which `HmacVerifier` verifies Slack's webhooks. The signature covers the timestamp
/// and the body and is in `X-Slack-Signature: v0=…`.
///
/// Source: Slack documentation, "Verifying requests from Slack".
final class SlackSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("X-Slack-Signature", "v0:{timestamp}:{body}")
                    .withLayout(new SignatureLayout.PrefixedSignature("v0=", true))
                    .withTimestamp(
                            new TimestampLocation.HeaderTimestamp("X-Slack-Request-Timestamp"));

    private SlackSignature() {}
}
