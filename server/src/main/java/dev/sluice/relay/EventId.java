package dev.sluice.relay;

import java.util.UUID;

/// Names an event. The low 12 bits are zero: they number the event's deliveries, see [DeliveryId].
public record EventId(UUID value) {

    public EventId {
        if ((value.getLeastSignificantBits() & DeliveryId.ORDINALS) != 0) {
            throw new IllegalArgumentException("not an event's id: " + value);
        }
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
