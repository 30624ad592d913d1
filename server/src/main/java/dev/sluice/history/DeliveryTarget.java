package dev.sluice.history;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.json.JsonObject;

import java.util.UUID;

/// The connection that a delivery uses, and the destination to which the connection leads.
///
/// @param destinationName the name that the destination had when the delivery ended; its current
///   name if the delivery is unfinished
public record DeliveryTarget(ConnectionId connection, UUID destination, String destinationName) {

    /// Adds `connection_id`, `destination_id` and `destination_name` to the JSON object.
    public JsonObject addTo(JsonObject json) {
        return json.put("connection_id", connection)
                .put("destination_id", destination)
                .put("destination_name", destinationName);
    }
}
