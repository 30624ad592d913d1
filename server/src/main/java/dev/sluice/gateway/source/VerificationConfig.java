package dev.sluice.gateway.source;

import dev.sluice.platform.secret.Secret;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How a source verifies that a webhook was sent by the expected sender. Immutable.
public sealed interface VerificationConfig {

    /// Accepts every request.
    record NoVerification() implements VerificationConfig {}

    /// Verifies requests using the scheme of a known provider, so the user sets only the secret.
    ///
    /// @param previousSecret accepted as well while the secret is being rotated
    /// @param name the provider's name as the user wrote it
    record ProviderVerification(
            WebhookProvider provider, Secret secret, Optional<Secret> previousSecret, String name)
            implements VerificationConfig {

        /// Names the provider as the specification does.
        public ProviderVerification(
                WebhookProvider provider, Secret secret, Optional<Secret> previousSecret) {
            this(provider, secret, previousSecret, provider.text());
        }
    }

    /// Verifies an HMAC in a header, using a scheme that the user describes.
    ///
    /// @param previousSecret accepted as well while the secret is being rotated
    /// @param timestampHeader the header that contains the timestamp; empty if the sender sends
    ///   none
    /// @param tolerance the maximum difference between the timestamp and the time of receipt, in
    ///   either direction
    /// @param signedContent empty for the default: `timestamp.body` if there is a timestamp header,
    ///   otherwise the body
    record GenericHmacVerification(
            Secret secret,
            Optional<Secret> previousSecret,
            String header,
            HmacAlgorithm algorithm,
            HmacEncoding encoding,
            Optional<String> timestampHeader,
            Duration tolerance,
            Optional<SignedContent> signedContent)
            implements VerificationConfig {}

    /// Verifies Discord's Ed25519 signatures with the application's public key.
    ///
    /// @param publicKey 64 hexadecimal digits
    record DiscordVerification(String publicKey) implements VerificationConfig {}

    /// Verifies a user name and password in `Authorization: Basic` (RFC 7617), encoded in UTF-8.
    record BasicAuthVerification(String username, Secret password) implements VerificationConfig {}

    /// Verifies that a header's value equals the key.
    record ApiKeyVerification(String header, Secret key) implements VerificationConfig {}

    /// A stored config that this node cannot read: it was encrypted with a different key, a later
    /// version wrote it, or the current rules refuse it. Every request fails verification.
    record UnreadableVerification() implements VerificationConfig {}

    /// The hash function of an HMAC.
    enum HmacAlgorithm {
        SHA256,
        SHA1;

        static final Map<String, HmacAlgorithm> BY_TEXT = Map.of("sha256", SHA256, "sha1", SHA1);

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// How an HMAC is encoded as text in its header.
    enum HmacEncoding {
        HEX,
        BASE64;

        static final Map<String, HmacEncoding> BY_TEXT = Map.of("hex", HEX, "base64", BASE64);

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The content from which the HMAC is computed.
    enum SignedContent {
        BODY("body"),
        TIMESTAMP_BODY("timestamp.body");

        static final Map<String, SignedContent> BY_TEXT =
                Map.of(BODY.text, BODY, TIMESTAMP_BODY.text, TIMESTAMP_BODY);

        private final String text;

        SignedContent(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    /// Returns the name of the header that contains the secret itself. The header's value is masked
    /// when the event is stored, and the header is not forwarded.
    ///
    /// Returns empty for configs that verify signatures, because a signature is not secret. Also
    /// returns empty if there is no verification, or if this node cannot read the config.
    default Optional<String> credentialHeader() {
        return switch (this) {
            case BasicAuthVerification _ -> Optional.of("Authorization");
            case ApiKeyVerification(String header, Secret _) -> Optional.of(header);
            case ProviderVerification(
                            WebhookProvider provider,
                            Secret _,
                            Optional<Secret> _,
                            String _) ->
                    provider == WebhookProvider.GITLAB
                            ? Optional.of("X-Gitlab-Token")
                            : Optional.empty();
            case NoVerification _,
                    GenericHmacVerification _,
                    DiscordVerification _,
                    UnreadableVerification _ ->
                    Optional.empty();
        };
    }
}
