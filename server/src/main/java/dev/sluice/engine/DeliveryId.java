package dev.sluice.engine;

import java.util.UUID;

/// The id of a delivery. It is the id of the event, with the delivery's ordinal (its number within
/// the event) in the low 12 bits.
///
/// The ids of an event's deliveries therefore form one range, so a query can find the deliveries by
/// that range, without a separate index. The event's id can be computed from a delivery's id.
/// Ingest assigns the ordinals 1 to 1023; resends get 1024 to 4095.
public record DeliveryId(UUID value) {

    static final long ORDINAL_MASK = 0xfff;

    public static final int MIN_RESEND_ORDINAL = 1024;
    public static final int MAX_ORDINAL = 4095;

    public static DeliveryId of(EventId event, int ordinal) {
        if (ordinal < 1 || ordinal > MAX_ORDINAL) {
            throw new IllegalArgumentException(
                    "a delivery has an ordinal from 1 to 4095, not " + ordinal);
        }
        UUID id = event.value();
        return new DeliveryId(
                new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() | ordinal));
    }

    /// Returns the highest id that a delivery of this event can have.
    public static UUID maxIdOf(EventId event) {
        UUID id = event.value();
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() | ORDINAL_MASK);
    }

    public EventId event() {
        return new EventId(
                new UUID(
                        value.getMostSignificantBits(),
                        value.getLeastSignificantBits() & ~ORDINAL_MASK));
    }

    public int ordinal() {
        return (int) (value.getLeastSignificantBits() & ORDINAL_MASK);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
