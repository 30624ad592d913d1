package dev.sluice.gateway.source;

/// A webhook sender whose verification scheme Sluice knows, so that users need to set only the
/// secret. `docs/reference/verification.md` describes each scheme and says where its sender
/// documents it.
///
/// `engine.signature` contains a class for each scheme that uses signatures, such as
/// `StripeSignature`, and `engine.accept.HmacVerifier` verifies requests using these schemes.
/// GitLab does not sign its requests: it sends the secret itself.
public enum WebhookProvider {
    STRIPE("provider_payments"),
    /// Also covers other senders that use GitHub's scheme, such as Meta.
    GITHUB("provider_code_host"),
    SHOPIFY("provider_commerce"),
    /// All senders that follow the Standard Webhooks specification (standardwebhooks.com).
    STANDARD_WEBHOOKS("standard_webhooks"),
    SLACK("slack"),
    GITLAB("gitlab"),
    TWILIO("twilio"),
    SQUARE("square"),
    PADDLE("paddle"),
    ZOOM("zoom"),
    LINEAR("linear"),
    TYPEFORM("typeform");

    private final String text;

    WebhookProvider(String text) {
        this.text = text;
    }

    /// Returns the provider's name in the API.
    public String text() {
        return text;
    }
}
