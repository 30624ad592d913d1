package dev.sluice.gateway.alertconfig;

import java.util.Locale;
import java.util.Map;

/// A kind of channel over which alerts are sent.
public enum AlertChannel {
    EMAIL,
    MESSENGER,
    WEBHOOK;

    /// The channels by each name that the API accepts for them.
    static final Map<String, AlertChannel> BY_NAME =
            Map.of(
                    "email",
                    EMAIL,
                    "messenger",
                    MESSENGER,
                    "telegram",
                    MESSENGER,
                    "webhook",
                    WEBHOOK);

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static AlertChannel fromText(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
