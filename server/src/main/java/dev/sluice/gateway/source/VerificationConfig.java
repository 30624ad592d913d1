package dev.sluice.gateway.source;

import dev.sluice.platform.secret.Secret;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How a source knows that a request comes from whom it should.
public sealed interface VerificationConfig {

    /// Anybody may send.
    record None() implements VerificationConfig {}

    /// A sender whose convention is known, so that its secret is all that is needed.
    ///
    /// @param previousSecret accepted beside `secret` while it is being replaced
    record Convention(Provider provider, Secret secret, Optional<Secret> previousSecret)
            implements VerificationConfig {}

    /// An HMAC in a header, as the user describes it.
    ///
    /// @param tolerance how far the timestamp may lie from the moment of receipt, either way
    /// @param signedContent empty: the body, or `timestamp.body` where there is a timestamp header
    record GenericHmac(
            Secret secret,
            Optional<Secret> previousSecret,
            String header,
            Algorithm algorithm,
            Encoding encoding,
            Optional<String> timestampHeader,
            Duration tolerance,
            Optional<SignedContent> signedContent)
            implements VerificationConfig {}

    /// Ed25519 signatures, checked with the application's public key.
    ///
    /// @param publicKey 64 hexadecimal digits
    record Discord(String publicKey) implements VerificationConfig {}

    /// `Authorization: Basic` (RFC 7617, UTF-8).
    record BasicAuth(String username, Secret password) implements VerificationConfig {}

    /// The key as it stands, in the header of that name.
    record ApiKey(String header, Secret key) implements VerificationConfig {}

    /// What is stored cannot be read: sealed under another key, or by a later version. Nothing
    /// passes it.
    record Unreadable() implements VerificationConfig {}

    enum Algorithm {
        SHA256,
        SHA1;

        static final Map<String, Algorithm> BY_TEXT = Map.of("sha256", SHA256, "sha1", SHA1);

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    enum Encoding {
        HEX,
        BASE64;

        static final Map<String, Encoding> BY_TEXT = Map.of("hex", HEX, "base64", BASE64);

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// What an HMAC covers.
    enum SignedContent {
        BODY("body"),
        TIMESTAMP_BODY("timestamp.body");

        static final Map<String, SignedContent> BY_TEXT =
                Map.of(BODY.text, BODY, TIMESTAMP_BODY.text, TIMESTAMP_BODY);

        private final String text;

        SignedContent(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /// The header that carries the secret itself, which is therefore neither kept nor sent on.
    /// Signatures are no secrets.
    default Optional<String> credentialHeader() {
        return switch (this) {
            case BasicAuth _ -> Optional.of("Authorization");
            case ApiKey(String header, Secret _) -> Optional.of(header);
            case Convention(Provider provider, Secret _, Optional<Secret> _) ->
                    provider == Provider.GITLAB ? Optional.of("X-Gitlab-Token") : Optional.empty();
            case None _, GenericHmac _, Discord _, Unreadable _ -> Optional.empty();
        };
    }
}
