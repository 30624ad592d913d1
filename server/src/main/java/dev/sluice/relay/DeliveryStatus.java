package dev.sluice.relay;

import java.util.Locale;

/// The state of a delivery.
///
/// The database stores its number. The first two states are never stored; they follow from the
/// delivery's row in the work table.
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

    public static DeliveryStatus fromNumber(int number) {
        return values()[number - 1];
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
