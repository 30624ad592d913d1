package dev.sluice.gateway.destination;

import dev.sluice.platform.json.JsonObject;

/// A short form of a destination for use in lists, with its status and circuit state.
public record DestinationSummary(
        DestinationId id, String name, String url, String status, CircuitView circuit) {

    public JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .put("url", url)
                .put("status", status)
                .put("circuit_state", circuit.state())
                .put("circuit_reopen_at", circuit.reopenAt());
    }
}
