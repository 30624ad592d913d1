package dev.sluice.gateway.alertconfig;

import java.util.Locale;
import java.util.Map;

/// A kind of channel over which alerts are sent.
public enum AlertChannel {
    EMAIL,
    MESSENGER,
    WEBHOOK;

    static final Map<String, AlertChannel> BY_TEXT =
            Map.of("email", EMAIL, "messenger", MESSENGER, "webhook", WEBHOOK);

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static AlertChannel fromText(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
