package dev.sluice.gateway.connection;

import java.util.UUID;

/// The id of a connection.
public record ConnectionId(UUID value) {

    @Override
    public String toString() {
        return value.toString();
    }
}
