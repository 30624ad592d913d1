package dev.sluice.gateway.source;

import java.util.Locale;

/// The webhook senders whose verification scheme Sluice knows, so that users set only the secret.
/// `docs/reference/verification.md` describes each scheme, and says where its sender documents it.
public enum WebhookProvider {
    /// Stripe.
    PROVIDER_PAYMENTS,
    /// GitHub, and others that use its scheme, such as Meta.
    PROVIDER_CODE_HOST,
    /// Shopify.
    PROVIDER_COMMERCE,
    /// All senders that follow the Standard Webhooks specification (standardwebhooks.com).
    STANDARD_WEBHOOKS,
    SLACK,
    GITLAB,
    TWILIO,
    SQUARE,
    PADDLE,
    ZOOM,
    LINEAR,
    TYPEFORM;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
