package dev.sluice.gateway.connection;

import dev.sluice.gateway.destination.DestinationSummary;
import dev.sluice.platform.json.JsonObject;

/// A connection with a summary of its destination, as the API shows it.
record ConnectionView(Connection connection, DestinationSummary destination) {

    JsonObject json() {
        return connection.json().put("destination", destination.json());
    }
}
