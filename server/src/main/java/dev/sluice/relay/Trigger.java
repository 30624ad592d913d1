package dev.sluice.relay;

import java.util.Locale;

/// What made a delivery. The numbers are stored.
public enum Trigger {
    INGEST(1),
    RESEND(2);

    private final short number;

    Trigger(int number) {
        this.number = (short) number;
    }

    public short number() {
        return number;
    }

    public static Trigger numbered(int number) {
        return values()[number - 1];
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
