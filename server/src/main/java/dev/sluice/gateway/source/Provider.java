package dev.sluice.gateway.source;

import java.util.Locale;

/// Senders whose convention is known, so that their secret is all that is needed.
public enum Provider {
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
