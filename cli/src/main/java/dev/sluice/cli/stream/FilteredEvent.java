package dev.sluice.cli.stream;

import dev.sluice.cli.events.StoredEvent;

import tools.jackson.databind.JsonNode;

/// An event that is kept back, and why.
///
/// @param reason a stable word for programs, such as `filter`
/// @param message the same in words
public record FilteredEvent(StoredEvent event, String reason, String message) {

    /// What the server says of an event that the stream's filter or connection drops.
    static FilteredEvent read(JsonNode data) {
        String reason = data.path("reason").asString("filter");
        return new FilteredEvent(
                StoredEvent.read(data), reason, data.path("message").asString(message(reason)));
    }

    private static String message(String reason) {
        return switch (reason) {
            case "filter" -> "it does not match --filter";
            case "connection_filter" -> "the connection's filter drops it";
            case "connection_deleted" -> "the connection was deleted";
            default -> reason;
        };
    }
}
