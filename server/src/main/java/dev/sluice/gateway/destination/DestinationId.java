package dev.sluice.gateway.destination;

import java.util.UUID;

/// Names a destination.
public record DestinationId(UUID value) {

    @Override
    public String toString() {
        return value.toString();
    }
}
