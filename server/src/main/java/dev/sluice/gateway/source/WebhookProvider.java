package dev.sluice.gateway.source;

import java.util.Locale;

/// The webhook providers whose verification scheme Sluice knows, so that users set only the secret.
/// `docs/reference/verification.md` lists each provider's documentation of its scheme.
public enum WebhookProvider {
    PROVIDER_PAYMENTS,
    PROVIDER_CODE_HOST,
    PROVIDER_COMMERCE,
    STANDARD_WEBHOOKS,
    SLACK,
    GITLAB,
    TWILIO,
    SQUARE,
    PADDLE,
    ZOOM,
    LINEAR,
    TYPEFORM;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
