package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;

/// The scheme that `HmacVerifier` uses to verify webhooks from Slack. The signature covers the
/// timestamp and the body, and is sent as `X-Slack-Signature: v0=…`.
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
