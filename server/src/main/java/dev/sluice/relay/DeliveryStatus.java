package dev.sluice.relay;

import java.util.Locale;

/// How a delivery stands. The numbers are stored; only the last four of them ever are.
public enum DeliveryStatus {
    PENDING(1),
    DELIVERING(2),
    SUCCEEDED(3),
    FAILED(4),
    EXHAUSTED(5),
    FILTERED(6);

    private final short number;

    DeliveryStatus(int number) {
        this.number = (short) number;
    }

    public short number() {
        return number;
    }

    public static DeliveryStatus numbered(int number) {
        return values()[number - 1];
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
