package dev.sluice.relay.verify;

import dev.sluice.gateway.source.Provider;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.VerificationReason;

import java.util.List;
import java.util.Optional;

/// Checks a request against its source's configuration.
public final class Verifier {

    private Verifier() {}

    public static Finding check(VerificationConfig config, Inbound inbound) {
        try {
            return switch (config) {
                case VerificationConfig.None() -> new Finding.Skipped();
                case VerificationConfig.Unreadable() ->
                        throw new Refused(VerificationReason.CONFIG_UNREADABLE);
                case VerificationConfig.Convention(
                                Provider provider,
                                Secret secret,
                                Optional<Secret> previous) ->
                        convention(provider, both(secret, previous), config, inbound);
                case VerificationConfig.GenericHmac hmac ->
                        signed(
                                List.of(Conventions.of(hmac)),
                                both(hmac.secret(), hmac.previousSecret()),
                                inbound);
                case VerificationConfig.Discord(String publicKey) ->
                        DiscordSignature.check(publicKey, inbound);
                case VerificationConfig.BasicAuth(String username, Secret password) ->
                        Credential.basic(username, password, inbound);
                case VerificationConfig.ApiKey(String header, Secret key) ->
                        Credential.key(header, List.of(key), inbound);
            };
        } catch (Refused e) {
            return new Finding.Failed(e.reason());
        }
    }

    private static Finding convention(
            Provider provider, List<Secret> secrets, VerificationConfig config, Inbound inbound)
            throws Refused {
        var header = config.credentialHeader();
        return header.isPresent()
                ? Credential.key(header.get(), secrets, inbound)
                : signed(Conventions.of(provider), secrets, inbound);
    }

    /// Where a sender has several sets of headers, the first that is there counts; there is no way
    /// from one that fails to the next.
    private static Finding signed(List<Scheme> schemes, List<Secret> secrets, Inbound inbound)
            throws Refused {
        var scheme =
                schemes.stream()
                        .filter(one -> inbound.has(one.header()))
                        .findFirst()
                        .orElseThrow(() -> new Refused(VerificationReason.SIGNATURE_MISSING));
        return HmacCheck.check(scheme, secrets, inbound);
    }

    private static List<Secret> both(Secret secret, Optional<Secret> previous) {
        return previous.map(old -> List.of(secret, old)).orElse(List.of(secret));
    }
}
