package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;

/// The scheme that `HmacVerifier` uses to verify webhooks from GitHub, and from Meta and others
/// that sign in the same way. The signature covers the body and is sent as `X-Hub-Signature-256:
/// sha256=…`.
///
/// Source: GitHub documentation, "Validating webhook deliveries"; npm package
/// `@octokit/webhooks-methods`.
final class GitHubSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("X-Hub-Signature-256", "{body}")
                    .withLayout(new SignatureLayout.PrefixedSignature("sha256=", true));

    private GitHubSignature() {}
}
