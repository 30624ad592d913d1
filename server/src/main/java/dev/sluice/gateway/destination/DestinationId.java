package dev.sluice.gateway.destination;

import java.util.UUID;

/// The id of a destination.
public record DestinationId(UUID value) {

    @Override
    public String toString() {
        return value.toString();
    }
}
