package dev.sluice.engine.accept;

import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.signature.GenericHmacSignature;
import dev.sluice.engine.signature.SignatureScheme;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;
import dev.sluice.engine.signature.SignatureSchemes;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationConfig.GenericHmacVerification;
import dev.sluice.gateway.source.VerificationConfig.HmacAlgorithm;
import dev.sluice.gateway.source.VerificationConfig.HmacEncoding;
import dev.sluice.gateway.source.VerificationConfig.SignedContent;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.platform.http.Header;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Suggests what to change when an event fails verification against a config. This class has no
/// state and performs no I/O.
///
/// The advice begins with a space, because it follows the sentence that gives the reason.
final class VerificationAdvice {

    /// A header whose name contains one of these texts probably contains a signature.
    private static final List<String> SIGNATURE_WORDS =
            List.of("signature", "hmac", "digest", "-sig", "sign");

    private static final int MAX_NAMED_HEADERS = 5;

    private VerificationAdvice() {}

    static String of(VerificationConfig config, InboundRequest event, VerificationReason reason) {
        return switch (reason) {
            case SIGNATURE_MISSING -> signatureMissing(config, event);
            case SIGNATURE_REPEATED, TIMESTAMP_REPEATED, MESSAGE_ID_REPEATED, CREDENTIAL_REPEATED ->
                    " Look for a proxy on the way that adds it a second time.";
            case SIGNATURE_MALFORMED -> signatureMalformed(config, event);
            case SIGNATURE_MISMATCH -> mismatch(config, event);
            case BODY_NOT_SIGNED -> " Let the sender sign it.";
            case TIMESTAMP_MISSING -> timestampMissing(config);
            case TIMESTAMP_MALFORMED -> " Name the header that has the time in Unix seconds.";
            case TIMESTAMP_TOO_OLD, TIMESTAMP_IN_FUTURE -> timestampOff(config, event);
            case MESSAGE_ID_MISSING -> " Let the sender send webhook-id or svix-id.";
            case CREDENTIAL_MISSING -> credentialMissing(config);
            case CREDENTIAL_MALFORMED ->
                    " Let the sender send Authorization: Basic with user name and password.";
            case CREDENTIAL_WRONG -> " Enter the same one here and at the sender.";
            case CONFIG_UNREADABLE -> "";
        };
    }

    private static String signatureMissing(VerificationConfig config, InboundRequest event) {
        var other = senderOf(event);
        if (other.isPresent()) {
            return " The event's headers are those of another sender. Set provider to "
                    + other.get()
                    + ".";
        }
        String similar =
                event.headers().stream()
                        .map(Header::name)
                        .filter(VerificationAdvice::isSignatureLike)
                        .limit(MAX_NAMED_HEADERS)
                        .collect(Collectors.joining(", "));
        String expected = " The signature is expected in " + expectedHeaders(config) + ".";
        if (similar.isEmpty()) {
            return expected + " No header looks like a signature. Turn on signing at the sender.";
        }
        return config instanceof GenericHmacVerification
                ? expected + " Set header to the right name. The event has " + similar + "."
                : expected + " Choose the provider that sends " + similar + ", or generic_hmac.";
    }

    private static String expectedHeaders(VerificationConfig config) {
        return config instanceof VerificationConfig.DiscordVerification
                ? DiscordVerifier.SIGNATURE_HEADER
                : SignatureSchemes.ofConfig(config).stream()
                        .map(SignatureScheme::header)
                        .collect(Collectors.joining(" or "));
    }

    /// Returns the provider whose headers the event has, or empty if there is none.
    private static Optional<String> senderOf(InboundRequest event) {
        if (event.hasHeader(DiscordVerifier.SIGNATURE_HEADER)) {
            return Optional.of("discord");
        }
        return SignatureSchemes.providerOf(event::hasHeader)
                .or(() ->
                        Optional.of(WebhookProvider.GITLAB)
                                .filter(_ -> event.hasHeader("X-Gitlab-Token")))
                .map(WebhookProvider::text);
    }

    private static boolean isSignatureLike(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return SIGNATURE_WORDS.stream().anyMatch(lower::contains);
    }

    private static String signatureMalformed(VerificationConfig config, InboundRequest event) {
        return config instanceof GenericHmacVerification hmac
                ? matchingChange(hmac, event)
                        .orElse(
                                " Check header and encoding. The value is not "
                                        + hmac.encoding().text()
                                        + ".")
                : " Choose the provider whose header looks like the event's.";
    }

    private static String mismatch(VerificationConfig config, InboundRequest event) {
        if (config instanceof GenericHmacVerification hmac) {
            var change = matchingChange(hmac, event);
            if (change.isPresent()) {
                return change.get();
            }
        }
        boolean coversUrl =
                SignatureSchemes.ofConfig(config).stream()
                        .anyMatch(scheme -> scheme.content().hasSlot("{url}"));
        if (coversUrl) {
            return " The signature covers the URL, so the sender must use exactly "
                    + event.url()
                    + ". If the sender adds a query, test with a new event, because the query is"
                    + " not stored.";
        }
        return config instanceof VerificationConfig.DiscordVerification
                ? " Enter the public key from the sender's settings again."
                : " Enter the secret from the sender's settings again, with its prefix if it has"
                        + " one.";
    }

    /// Looks for other settings that would make the event's signature valid with the same secrets.
    /// Returns a sentence that names the settings to change, or empty if there are none.
    private static Optional<String> matchingChange(
            GenericHmacVerification hmac, InboundRequest event) {
        return variants(hmac)
                .filter(variant -> isSignedBy(variant, event))
                .findFirst()
                .map(variant ->
                        " The signature is valid with "
                                + differences(hmac, variant)
                                + ". Change the settings to match.");
    }

    private static Stream<GenericHmacVerification> variants(GenericHmacVerification hmac) {
        var variants = new ArrayList<GenericHmacVerification>();
        for (var algorithm : HmacAlgorithm.values()) {
            for (var encoding : HmacEncoding.values()) {
                for (var signed : SignedContent.values()) {
                    if (signed == SignedContent.BODY || hmac.timestampHeader().isPresent()) {
                        variants.add(
                                new GenericHmacVerification(
                                        hmac.secret(),
                                        hmac.previousSecret(),
                                        hmac.header(),
                                        algorithm,
                                        encoding,
                                        hmac.timestampHeader(),
                                        hmac.tolerance(),
                                        Optional.of(signed)));
                    }
                }
            }
        }
        return variants.stream();
    }

    /// Whether the event's signature is correct with these settings, even if its timestamp is too
    /// old or in the future.
    private static boolean isSignedBy(GenericHmacVerification hmac, InboundRequest event) {
        return switch (Verifier.check(hmac, event)) {
            case VerificationResult.VerificationPassed _ -> true;
            case VerificationResult.VerificationFailed(VerificationReason reason) ->
                    reason == VerificationReason.TIMESTAMP_TOO_OLD
                            || reason == VerificationReason.TIMESTAMP_IN_FUTURE;
            case VerificationResult.VerificationSkipped() -> false;
        };
    }

    private static String differences(
            GenericHmacVerification hmac, GenericHmacVerification variant) {
        var changes = new ArrayList<String>();
        if (hmac.algorithm() != variant.algorithm()) {
            changes.add("algorithm " + variant.algorithm().text());
        }
        if (hmac.encoding() != variant.encoding()) {
            changes.add("encoding " + variant.encoding().text());
        }
        variant.signedContent()
                .filter(signed ->
                        !GenericHmacSignature.schemeOf(hmac)
                                .content()
                                .equals(GenericHmacSignature.schemeOf(variant).content()))
                .ifPresent(signed -> changes.add("signed_content " + signed.text()));
        return String.join(" and ", changes);
    }

    private static String timestampMissing(VerificationConfig config) {
        return config instanceof GenericHmacVerification hmac
                ? " The event has no header "
                        + hmac.timestampHeader().orElse("")
                        + ". Set timestamp_header to the right name, or leave it out."
                : " Choose the provider that sends events like this one.";
    }

    private static String timestampOff(VerificationConfig config, InboundRequest event) {
        if (config instanceof GenericHmacVerification hmac) {
            return GenericHmacSignature.schemeOf(hmac).timestampLocation()
                            instanceof TimestampLocation.HeaderTimestamp(String name)
                    ? distance(name, event)
                    : "";
        }
        return " Check the clocks of the sender and of this server, or have the sender sign each"
                + " attempt again.";
    }

    private static String distance(String timestampHeader, InboundRequest event) {
        try {
            String timestamp =
                    event.singleHeader(
                            timestampHeader,
                            VerificationReason.TIMESTAMP_MISSING,
                            VerificationReason.TIMESTAMP_REPEATED);
            long seconds = TimestampValidator.parseSeconds(timestamp);
            long distance = Math.abs(event.headReadAt().getEpochSecond() - seconds);
            return " It differs by "
                    + distance
                    + " s from the event's arrival. Set tolerance_secs to at least that, or"
                    + " correct the sender's clock.";
        } catch (VerificationException e) {
            return "";
        }
    }

    private static String credentialMissing(VerificationConfig config) {
        return " The event has no header "
                + config.credentialHeader().orElse("")
                + ". Have the sender send it, or set the right header name.";
    }
}
