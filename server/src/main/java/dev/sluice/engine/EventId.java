package dev.sluice.engine;

import java.util.UUID;

/// The id of an event: a UUIDv7 whose low 12 bits are zero. In the ids of the event's deliveries,
/// these bits contain the ordinal of the delivery (see [DeliveryId]).
public record EventId(UUID value) {

    public EventId {
        if ((value.getLeastSignificantBits() & DeliveryId.ORDINAL_MASK) != 0) {
            throw new IllegalArgumentException(
                    "the low 12 bits of an event id are zero; these are not: " + value);
        }
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
