package dev.sluice.relay.verify;

import static java.util.Map.entry;

import dev.sluice.gateway.source.Provider;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationConfig.Algorithm;
import dev.sluice.gateway.source.VerificationConfig.SignedContent;
import dev.sluice.relay.verify.Scheme.Encoding;
import dev.sluice.relay.verify.Scheme.KeyForm;
import dev.sluice.relay.verify.Scheme.Layout;
import dev.sluice.relay.verify.Scheme.Stamp;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The senders that sign with an HMAC, a row for each set of headers.
/// `docs/reference/verification.md` names the documents that the rows follow.
final class Conventions {

    private static final String SHA256 = "HmacSHA256";
    private static final String SHA1 = "HmacSHA1";

    private static final Duration USUAL = Duration.ofMinutes(5);

    private static final Stamp NONE = new Stamp.Nowhere();

    private static final Map<Provider, List<Scheme>> TABLE =
            Map.ofEntries(
                    entry(
                            Provider.PROVIDER_PAYMENTS,
                            List.of(
                                    row(
                                            "Stripe-Signature",
                                            new Layout.Pairs(',', "t", "v1"),
                                            "{timestamp}.{body}",
                                            SHA256,
                                            Encoding.HEX,
                                            new Stamp.InSignature()))),
                    entry(
                            Provider.PROVIDER_CODE_HOST,
                            List.of(
                                    row(
                                            "X-Hub-Signature-256",
                                            new Layout.Prefixed("sha256=", true),
                                            "{body}",
                                            SHA256,
                                            Encoding.HEX,
                                            NONE))),
                    entry(
                            Provider.PROVIDER_COMMERCE,
                            List.of(shop("Shopify-Hmac-Sha256"), shop("X-Shopify-Hmac-Sha256"))),
                    entry(
                            Provider.STANDARD_WEBHOOKS,
                            List.of(standard("webhook"), standard("svix"))),
                    entry(
                            Provider.SLACK,
                            List.of(
                                    row(
                                            "X-Slack-Signature",
                                            new Layout.Prefixed("v0=", true),
                                            "v0:{timestamp}:{body}",
                                            SHA256,
                                            Encoding.HEX,
                                            new Stamp.InHeader("X-Slack-Request-Timestamp")))),
                    entry(
                            Provider.ZOOM,
                            List.of(
                                    row(
                                            "x-zm-signature",
                                            new Layout.Prefixed("v0=", true),
                                            "v0:{timestamp}:{body}",
                                            SHA256,
                                            Encoding.HEX,
                                            new Stamp.InHeader("x-zm-request-timestamp")))),
                    entry(
                            Provider.PADDLE,
                            List.of(
                                    row(
                                            "Paddle-Signature",
                                            new Layout.Pairs(';', "ts", "h1"),
                                            "{timestamp}:{body}",
                                            SHA256,
                                            Encoding.HEX,
                                            new Stamp.InSignature()))),
                    entry(
                            Provider.LINEAR,
                            List.of(
                                    row(
                                            "Linear-Signature",
                                            new Layout.Prefixed("", false),
                                            "{body}",
                                            SHA256,
                                            Encoding.HEX,
                                            KeyForm.TEXT,
                                            new Stamp.InBody("webhookTimestamp"),
                                            Duration.ofMinutes(1)))),
                    entry(
                            Provider.TYPEFORM,
                            List.of(
                                    row(
                                            "Typeform-Signature",
                                            new Layout.Prefixed("sha256=", true),
                                            "{body}",
                                            SHA256,
                                            Encoding.BASE64,
                                            NONE))),
                    entry(
                            Provider.SQUARE,
                            List.of(
                                    row(
                                            "x-square-hmacsha256-signature",
                                            new Layout.Prefixed("", false),
                                            "{url}{body}",
                                            SHA256,
                                            Encoding.BASE64,
                                            NONE))),
                    entry(
                            Provider.TWILIO,
                            List.of(
                                    row(
                                            "X-Twilio-Signature",
                                            new Layout.Prefixed("", false),
                                            "{url}{form}",
                                            SHA1,
                                            Encoding.BASE64,
                                            NONE))));

    private Conventions() {}

    /// Empty for a provider that does not sign: then nothing passes.
    static List<Scheme> of(Provider provider) {
        return TABLE.getOrDefault(provider, List.of());
    }

    /// What the user described.
    static Scheme of(VerificationConfig.GenericHmac hmac) {
        var signed =
                hmac.signedContent()
                        .orElse(
                                hmac.timestampHeader().isPresent()
                                        ? SignedContent.TIMESTAMP_BODY
                                        : SignedContent.BODY);
        return row(
                hmac.header(),
                new Layout.Prefixed(hmac.algorithm().text() + "=", false),
                switch (signed) {
                    case BODY -> "{body}";
                    case TIMESTAMP_BODY -> "{timestamp}.{body}";
                },
                hmac.algorithm() == Algorithm.SHA1 ? SHA1 : SHA256,
                switch (hmac.encoding()) {
                    case HEX -> Encoding.HEX;
                    case BASE64 -> Encoding.BASE64;
                },
                KeyForm.TEXT,
                hmac.timestampHeader().<Stamp>map(Stamp.InHeader::new).orElse(NONE),
                hmac.tolerance());
    }

    private static Scheme shop(String header) {
        return row(header, new Layout.Prefixed("", false), "{body}", SHA256, Encoding.BASE64, NONE);
    }

    private static Scheme standard(String prefix) {
        return row(
                prefix + "-signature",
                new Layout.Versioned("v1"),
                "{id}.{timestamp}.{body}",
                SHA256,
                Encoding.BASE64,
                KeyForm.STANDARD_WEBHOOKS,
                new Stamp.InHeader(prefix + "-timestamp"),
                USUAL);
    }

    private static Scheme row(
            String header,
            Layout layout,
            String content,
            String algorithm,
            Encoding encoding,
            Stamp stamp) {
        return row(header, layout, content, algorithm, encoding, KeyForm.TEXT, stamp, USUAL);
    }

    private static Scheme row(
            String header,
            Layout layout,
            String content,
            String algorithm,
            Encoding encoding,
            KeyForm key,
            Stamp stamp,
            Duration tolerance) {
        return new Scheme(
                header, layout, Template.of(content), algorithm, encoding, key, stamp, tolerance);
    }
}
