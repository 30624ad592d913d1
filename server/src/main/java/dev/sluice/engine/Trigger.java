package dev.sluice.engine;

import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.gateway.routing.Route;

import java.util.Locale;
import java.util.Optional;

/// What caused a delivery: the arrival of its event, or a resend. The database stores each
/// constant's number.
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

    public static Trigger fromNumber(int number) {
        return values()[number - 1];
    }

    /// Returns why the configuration puts the route's deliveries with this trigger on hold, or
    /// empty if it does not. A disabled connection does not put resends on hold.
    public Optional<HoldReason> holdReason(Route route) {
        return route.holdReason(this == RESEND);
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
