package dev.sluice.engine.signature;

import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.WebhookProvider;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Finds the schemes that a sender uses to sign its requests. A sender has one scheme for each of
/// its signature headers.
public final class SignatureSchemes {

    private SignatureSchemes() {}

    /// Returns a provider's schemes, or an empty list if the provider does not sign its requests.
    public static List<SignatureScheme> of(WebhookProvider provider) {
        return switch (provider) {
            case STRIPE -> List.of(StripeSignature.SCHEME);
            case GITHUB -> List.of(GitHubSignature.SCHEME);
            case SHOPIFY -> ShopifySignature.SCHEMES;
            case STANDARD_WEBHOOKS -> StandardWebhooksSignature.SCHEMES;
            case SLACK -> List.of(SlackSignature.SCHEME);
            case GITLAB -> List.of();
            case TWILIO -> List.of(TwilioSignature.SCHEME);
            case SQUARE -> List.of(SquareSignature.SCHEME);
            case PADDLE -> List.of(PaddleSignature.SCHEME);
            case ZOOM -> List.of(ZoomSignature.SCHEME);
            case LINEAR -> List.of(LinearSignature.SCHEME);
            case TYPEFORM -> List.of(TypeformSignature.SCHEME);
        };
    }

    /// Returns the schemes that a config accepts, or an empty list if the config expects no HMAC.
    public static List<SignatureScheme> ofConfig(VerificationConfig config) {
        return switch (config) {
            case VerificationConfig.ProviderVerification provider -> of(provider.provider());
            case VerificationConfig.GenericHmacVerification hmac ->
                    List.of(GenericHmacSignature.schemeOf(hmac));
            case VerificationConfig.NoVerification(),
                    VerificationConfig.UnreadableVerification(),
                    VerificationConfig.DiscordVerification _,
                    VerificationConfig.BasicAuthVerification _,
                    VerificationConfig.ApiKeyVerification _ ->
                    List.of();
        };
    }

    /// Returns the first provider whose signature header is in the request, or empty if there is
    /// none.
    ///
    /// @param hasHeader whether the request has a header with this name
    public static Optional<WebhookProvider> providerOf(Predicate<String> hasHeader) {
        return Arrays.stream(WebhookProvider.values())
                .filter(provider ->
                        of(provider).stream().map(SignatureScheme::header).anyMatch(hasHeader))
                .findFirst();
    }
}
