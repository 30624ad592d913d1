package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SecretEncoding;
import dev.sluice.engine.signature.SignatureScheme.SignatureEncoding;
import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;

import java.util.List;

/// The schemes that `HmacVerifier` uses to verify webhooks from senders that follow the Standard
/// Webhooks specification. The signature covers the message id, the timestamp and the body. The
/// header names start with `webhook-` or `svix-`.
///
/// Source: standardwebhooks.com; npm and Maven packages `standardwebhooks`.
final class StandardWebhooksSignature {

    static final List<SignatureScheme> SCHEMES = List.of(scheme("webhook"), scheme("svix"));

    private StandardWebhooksSignature() {}

    private static SignatureScheme scheme(String prefix) {
        return SignatureScheme.of(prefix + "-signature", "{id}.{timestamp}.{body}")
                .withLayout(new SignatureLayout.VersionedSignatures("v1"))
                .withEncoding(SignatureEncoding.BASE64)
                .withSecretEncoding(SecretEncoding.STANDARD_WEBHOOKS)
                .withTimestamp(new TimestampLocation.HeaderTimestamp(prefix + "-timestamp"));
    }
}
