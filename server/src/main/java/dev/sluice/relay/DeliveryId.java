package dev.sluice.relay;

import java.util.UUID;

/// Names a delivery: its event's id with an ordinal in the low 12 bits.
///
/// So the deliveries of an event are one range of ids and need no index of their own, and the event
/// is known from the delivery. Ordinals 1 to 1023 are given at ingest, 1024 to 4095 by resends.
public record DeliveryId(UUID value) {

    static final long ORDINALS = 0xfff;

    public static final int FIRST_RESEND = 1024;
    public static final int LAST = 4095;

    public static DeliveryId of(EventId event, int ordinal) {
        if (ordinal < 1 || ordinal > LAST) {
            throw new IllegalArgumentException("no ordinal of a delivery: " + ordinal);
        }
        UUID id = event.value();
        return new DeliveryId(
                new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() | ordinal));
    }

    /// The greatest id that a delivery of this event can have.
    public static UUID lastOf(EventId event) {
        UUID id = event.value();
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() | ORDINALS);
    }

    public EventId event() {
        return new EventId(
                new UUID(
                        value.getMostSignificantBits(),
                        value.getLeastSignificantBits() & ~ORDINALS));
    }

    public int ordinal() {
        return (int) (value.getLeastSignificantBits() & ORDINALS);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
