package dev.sluice.engine.accept;

import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;
import dev.sluice.engine.signature.SignatureSchemes;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationConfig.GenericHmacVerification;
import dev.sluice.gateway.source.VerificationConfig.ProviderVerification;
import dev.sluice.platform.secret.Secret;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The result of checking a stored event against a verification config, with advice on what to
/// change.
///
/// @param sentence one or more complete sentences, without any secrets
public record VerificationDiagnosis(Judgement judgement, String sentence) {

    /// The possible results.
    public enum Judgement {
        VERIFIED,
        FAILED,
        SKIPPED,
        /// The result is unknown because the event was stored without the values needed to verify
        /// it.
        UNKNOWN;

        /// Returns the name used in the API.
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Checks a stored event against a config.
    ///
    /// @param event the event. Its headers are as stored, with the credential masked; its time is
    ///   the arrival time. The URL is the source's URL without a query, because the query is not
    ///   stored
    public static VerificationDiagnosis of(VerificationConfig config, InboundRequest event) {
        return switch (Verifier.check(config, event)) {
            case VerificationResult.VerificationSkipped() ->
                    new VerificationDiagnosis(
                            Judgement.SKIPPED,
                            "Nothing is verified: a request of any sender is accepted.");
            case VerificationResult.VerificationPassed(Optional<Secret> secret) ->
                    new VerificationDiagnosis(Judgement.VERIFIED, passed(config, secret));
            case VerificationResult.VerificationFailed(VerificationReason reason) ->
                    failed(config, event, reason);
        };
    }

    private static String passed(VerificationConfig config, Optional<Secret> secret) {
        boolean isByPrevious =
                currentSecret(config)
                        .filter(current -> !secret.equals(Optional.of(current)))
                        .isPresent();
        return isByPrevious
                ? "The event passes. It was signed with previous_secret: the sender does not use"
                        + " the new secret yet."
                : "The event passes.";
    }

    private static Optional<Secret> currentSecret(VerificationConfig config) {
        return switch (config) {
            case ProviderVerification provider -> Optional.of(provider.secret());
            case GenericHmacVerification hmac -> Optional.of(hmac.secret());
            default -> Optional.empty();
        };
    }

    private static VerificationDiagnosis failed(
            VerificationConfig config, InboundRequest event, VerificationReason reason) {
        var masked = maskedHeader(config, event);
        if (masked.isPresent()) {
            return unknown(
                    "The header "
                            + masked.get()
                            + " held the source's credential, so the event was stored without its"
                            + " value.");
        }
        if (reason == VerificationReason.BODY_NOT_SIGNED) {
            return unknown(
                    "The signature covers this body only through bodySHA256 in the URL's query,"
                            + " which is not stored.");
        }
        return new VerificationDiagnosis(
                Judgement.FAILED, reason.sentence() + VerificationAdvice.of(config, event, reason));
    }

    private static VerificationDiagnosis unknown(String why) {
        return new VerificationDiagnosis(
                Judgement.UNKNOWN, why + " Save the configuration and send a new event.");
    }

    /// Returns the name of a header that the config reads and whose value was masked when the event
    /// was stored. Returns empty if there is none.
    private static Optional<String> maskedHeader(VerificationConfig config, InboundRequest event) {
        var read = readHeaders(config);
        return event.headers().stream()
                .filter(header -> header.value().equals(Secret.MASK))
                .filter(header -> read.stream().anyMatch(header::isNamed))
                .findFirst()
                .map(header -> header.name());
    }

    private static List<String> readHeaders(VerificationConfig config) {
        var names = new ArrayList<String>();
        config.credentialHeader().ifPresent(names::add);
        for (var scheme : SignatureSchemes.ofConfig(config)) {
            names.add(scheme.header());
            if (scheme.timestampLocation() instanceof TimestampLocation.HeaderTimestamp(var name)) {
                names.add(name);
            }
        }
        return names;
    }
}
