package dev.sluice.engine.accept;

import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.signature.GenericHmacSignature;
import dev.sluice.engine.signature.SignatureScheme;
import dev.sluice.engine.signature.SignatureSchemes;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.platform.secret.Secret;

import java.util.List;
import java.util.Optional;

/// Verifies an inbound request against its source's configuration. This class has no state and
/// performs no I/O.
///
/// An HMAC signature is checked by [HmacVerifier]. The scheme comes from [SignatureSchemes] for a
/// provider such as Stripe, or from [GenericHmacSignature] for a `generic_hmac` config.
public final class Verifier {

    private Verifier() {}

    public static VerificationResult check(VerificationConfig config, InboundRequest inbound) {
        try {
            return switch (config) {
                case VerificationConfig.NoVerification() ->
                        new VerificationResult.VerificationSkipped();
                case VerificationConfig.UnreadableVerification() ->
                        throw new VerificationException(VerificationReason.CONFIG_UNREADABLE);
                case VerificationConfig.ProviderVerification(
                                WebhookProvider provider,
                                Secret secret,
                                Optional<Secret> previous,
                                String _) ->
                        checkProvider(
                                provider, currentAndPrevious(secret, previous), config, inbound);
                case VerificationConfig.GenericHmacVerification hmac ->
                        checkHmac(
                                List.of(GenericHmacSignature.schemeOf(hmac)),
                                currentAndPrevious(hmac.secret(), hmac.previousSecret()),
                                inbound);
                case VerificationConfig.DiscordVerification(String publicKey) ->
                        DiscordVerifier.check(publicKey, inbound);
                case VerificationConfig.BasicAuthVerification(String username, Secret password) ->
                        CredentialVerifier.checkBasicAuth(username, password, inbound);
                case VerificationConfig.ApiKeyVerification(String header, Secret key) ->
                        CredentialVerifier.checkApiKey(header, List.of(key), inbound);
            };
        } catch (VerificationException e) {
            return new VerificationResult.VerificationFailed(e.reason());
        }
    }

    private static VerificationResult checkProvider(
            WebhookProvider provider,
            List<Secret> secrets,
            VerificationConfig config,
            InboundRequest inbound)
            throws VerificationException {
        var header = config.credentialHeader();
        return header.isPresent()
                ? CredentialVerifier.checkApiKey(header.get(), secrets, inbound)
                : checkHmac(SignatureSchemes.of(provider), secrets, inbound);
    }

    /// Checks the signature with the first scheme whose header is present. If that signature is
    /// wrong, no other scheme is tried.
    private static VerificationResult checkHmac(
            List<SignatureScheme> schemes, List<Secret> secrets, InboundRequest inbound)
            throws VerificationException {
        var scheme =
                schemes.stream()
                        .filter(one -> inbound.hasHeader(one.header()))
                        .findFirst()
                        .orElseThrow(() ->
                                new VerificationException(VerificationReason.SIGNATURE_MISSING));
        return HmacVerifier.check(scheme, secrets, inbound);
    }

    private static List<Secret> currentAndPrevious(Secret secret, Optional<Secret> previous) {
        return previous.map(old -> List.of(secret, old)).orElse(List.of(secret));
    }
}
