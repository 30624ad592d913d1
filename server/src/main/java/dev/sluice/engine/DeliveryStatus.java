package dev.sluice.engine;

import java.util.Locale;

/// The state of a delivery.
///
/// The database stores the number of a final state. `PENDING` and `DELIVERING` are never stored:
/// they are derived from the delivery's row in `delivery_work`.
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
