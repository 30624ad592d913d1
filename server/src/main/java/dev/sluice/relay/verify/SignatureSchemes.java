package dev.sluice.relay.verify;

import static java.util.Map.entry;

import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationConfig.HmacAlgorithm;
import dev.sluice.gateway.source.VerificationConfig.SignedContent;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.relay.verify.SignatureScheme.SecretEncoding;
import dev.sluice.relay.verify.SignatureScheme.SignatureEncoding;
import dev.sluice.relay.verify.SignatureScheme.SignatureLayout;
import dev.sluice.relay.verify.SignatureScheme.TimestampLocation;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The schemes that the known webhook providers use to sign their requests with an HMAC. A provider
/// has one scheme for each set of headers that it uses. [HmacVerifier] verifies requests according
/// to these schemes.
///
/// `docs/reference/verification.md` names the documentation of each provider.
final class SignatureSchemes {

    private static final String SHA256 = "HmacSHA256";
    private static final String SHA1 = "HmacSHA1";

    private static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);

    private static final TimestampLocation NO_TIMESTAMP = new TimestampLocation.NoTimestamp();

    private static final Map<WebhookProvider, List<SignatureScheme>> SCHEMES_BY_PROVIDER =
            Map.ofEntries(
                    entry(
                            WebhookProvider.STRIPE,
                            List.of(
                                    scheme(
                                            "Stripe-Signature",
                                            new SignatureLayout.SignaturePairs(',', "t", "v1"),
                                            "{timestamp}.{body}",
                                            SHA256,
                                            SignatureEncoding.HEX,
                                            new TimestampLocation.SignatureTimestamp()))),
                    entry(
                            WebhookProvider.GITHUB,
                            List.of(
                                    scheme(
                                            "X-Hub-Signature-256",
                                            new SignatureLayout.PrefixedSignature("sha256=", true),
                                            "{body}",
                                            SHA256,
                                            SignatureEncoding.HEX,
                                            NO_TIMESTAMP))),
                    entry(
                            WebhookProvider.SHOPIFY,
                            List.of(
                                    shopify("Shopify-Hmac-Sha256"),
                                    shopify("X-Shopify-Hmac-Sha256"))),
                    entry(
                            WebhookProvider.STANDARD_WEBHOOKS,
                            List.of(standardWebhooks("webhook"), standardWebhooks("svix"))),
                    entry(
                            WebhookProvider.SLACK,
                            List.of(
                                    scheme(
                                            "X-Slack-Signature",
                                            new SignatureLayout.PrefixedSignature("v0=", true),
                                            "v0:{timestamp}:{body}",
                                            SHA256,
                                            SignatureEncoding.HEX,
                                            new TimestampLocation.HeaderTimestamp(
                                                    "X-Slack-Request-Timestamp")))),
                    entry(
                            WebhookProvider.ZOOM,
                            List.of(
                                    scheme(
                                            "x-zm-signature",
                                            new SignatureLayout.PrefixedSignature("v0=", true),
                                            "v0:{timestamp}:{body}",
                                            SHA256,
                                            SignatureEncoding.HEX,
                                            new TimestampLocation.HeaderTimestamp(
                                                    "x-zm-request-timestamp")))),
                    entry(
                            WebhookProvider.PADDLE,
                            List.of(
                                    scheme(
                                            "Paddle-Signature",
                                            new SignatureLayout.SignaturePairs(';', "ts", "h1"),
                                            "{timestamp}:{body}",
                                            SHA256,
                                            SignatureEncoding.HEX,
                                            new TimestampLocation.SignatureTimestamp()))),
                    entry(
                            WebhookProvider.LINEAR,
                            List.of(
                                    scheme(
                                            "Linear-Signature",
                                            new SignatureLayout.PrefixedSignature("", false),
                                            "{body}",
                                            SHA256,
                                            SignatureEncoding.HEX,
                                            SecretEncoding.TEXT,
                                            new TimestampLocation.BodyTimestamp("webhookTimestamp"),
                                            Duration.ofMinutes(1)))),
                    entry(
                            WebhookProvider.TYPEFORM,
                            List.of(
                                    scheme(
                                            "Typeform-Signature",
                                            new SignatureLayout.PrefixedSignature("sha256=", true),
                                            "{body}",
                                            SHA256,
                                            SignatureEncoding.BASE64,
                                            NO_TIMESTAMP))),
                    entry(
                            WebhookProvider.SQUARE,
                            List.of(
                                    scheme(
                                            "x-square-hmacsha256-signature",
                                            new SignatureLayout.PrefixedSignature("", false),
                                            "{url}{body}",
                                            SHA256,
                                            SignatureEncoding.BASE64,
                                            NO_TIMESTAMP))),
                    entry(
                            WebhookProvider.TWILIO,
                            List.of(
                                    scheme(
                                            "X-Twilio-Signature",
                                            new SignatureLayout.PrefixedSignature("", false),
                                            "{url}{form}",
                                            SHA1,
                                            SignatureEncoding.BASE64,
                                            NO_TIMESTAMP))));

    private SignatureSchemes() {}

    /// Returns the schemes of a provider; empty for a provider that does not sign.
    static List<SignatureScheme> of(WebhookProvider provider) {
        return SCHEMES_BY_PROVIDER.getOrDefault(provider, List.of());
    }

    /// Returns the schemes that a config accepts; empty for a config that expects no HMAC.
    static List<SignatureScheme> ofConfig(VerificationConfig config) {
        return switch (config) {
            case VerificationConfig.ProviderVerification provider -> of(provider.provider());
            case VerificationConfig.GenericHmacVerification hmac -> List.of(of(hmac));
            default -> List.of();
        };
    }

    /// Returns the first provider whose signature header the request has, or empty if there is
    /// none.
    static Optional<WebhookProvider> providerOf(InboundRequest inbound) {
        return Arrays.stream(WebhookProvider.values())
                .filter(provider ->
                        of(provider).stream()
                                .anyMatch(scheme -> inbound.hasHeader(scheme.header())))
                .findFirst();
    }

    /// Returns the scheme for the settings that a user configured.
    static SignatureScheme of(VerificationConfig.GenericHmacVerification hmac) {
        var signed =
                hmac.signedContent()
                        .orElse(
                                hmac.timestampHeader().isPresent()
                                        ? SignedContent.TIMESTAMP_BODY
                                        : SignedContent.BODY);
        return scheme(
                hmac.header(),
                new SignatureLayout.PrefixedSignature(hmac.algorithm().text() + "=", false),
                switch (signed) {
                    case BODY -> "{body}";
                    case TIMESTAMP_BODY -> "{timestamp}.{body}";
                },
                hmac.algorithm() == HmacAlgorithm.SHA1 ? SHA1 : SHA256,
                switch (hmac.encoding()) {
                    case HEX -> SignatureEncoding.HEX;
                    case BASE64 -> SignatureEncoding.BASE64;
                },
                SecretEncoding.TEXT,
                hmac.timestampHeader()
                        .<TimestampLocation>map(TimestampLocation.HeaderTimestamp::new)
                        .orElse(NO_TIMESTAMP),
                hmac.tolerance());
    }

    private static SignatureScheme shopify(String header) {
        return scheme(
                header,
                new SignatureLayout.PrefixedSignature("", false),
                "{body}",
                SHA256,
                SignatureEncoding.BASE64,
                NO_TIMESTAMP);
    }

    private static SignatureScheme standardWebhooks(String prefix) {
        return scheme(
                prefix + "-signature",
                new SignatureLayout.VersionedSignatures("v1"),
                "{id}.{timestamp}.{body}",
                SHA256,
                SignatureEncoding.BASE64,
                SecretEncoding.STANDARD_WEBHOOKS,
                new TimestampLocation.HeaderTimestamp(prefix + "-timestamp"),
                DEFAULT_TOLERANCE);
    }

    private static SignatureScheme scheme(
            String header,
            SignatureLayout layout,
            String content,
            String algorithm,
            SignatureEncoding encoding,
            TimestampLocation timestampLocation) {
        return scheme(
                header,
                layout,
                content,
                algorithm,
                encoding,
                SecretEncoding.TEXT,
                timestampLocation,
                DEFAULT_TOLERANCE);
    }

    private static SignatureScheme scheme(
            String header,
            SignatureLayout layout,
            String content,
            String algorithm,
            SignatureEncoding encoding,
            SecretEncoding secretEncoding,
            TimestampLocation timestampLocation,
            Duration tolerance) {
        return new SignatureScheme(
                header,
                layout,
                SignedContentTemplate.of(content),
                algorithm,
                encoding,
                secretEncoding,
                timestampLocation,
                tolerance);
    }
}
