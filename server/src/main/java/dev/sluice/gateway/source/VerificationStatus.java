package dev.sluice.gateway.source;

import java.util.Locale;

/// The result of verifying an inbound request. The database stores the status as its number.
public enum VerificationStatus {
    VERIFIED(1),
    FAILED(2),
    SKIPPED(3);

    private final short number;

    VerificationStatus(int number) {
        this.number = (short) number;
    }

    public short number() {
        return number;
    }

    public static VerificationStatus fromNumber(int number) {
        return values()[number - 1];
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
