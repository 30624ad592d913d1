package dev.sluice.relay;

import java.util.Locale;

/// What the check of an inbound request came to. The numbers are stored.
public enum Verification {
    VERIFIED(1),
    FAILED(2),
    SKIPPED(3);

    private final short number;

    Verification(int number) {
        this.number = (short) number;
    }

    public short number() {
        return number;
    }

    public static Verification numbered(int number) {
        return values()[number - 1];
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
