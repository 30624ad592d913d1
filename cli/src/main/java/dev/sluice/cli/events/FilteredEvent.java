package dev.sluice.cli.events;

import tools.jackson.databind.JsonNode;

/// A dropped event and the reason it was dropped, for example that it does not match a filter or
/// that its source has no route.
///
/// @param reason a stable, machine-readable code, such as `filter`
/// @param message the reason as a human-readable phrase
public record FilteredEvent(StoredEvent event, String reason, String message) {

    private static final String PAYLOAD_UNREADABLE = "payload_unreadable";

    /// Returns a filtered event that was dropped because the server cannot read its payload.
    public static FilteredEvent unreadable(StoredEvent event) {
        return new FilteredEvent(event, PAYLOAD_UNREADABLE, message(PAYLOAD_UNREADABLE));
    }

    /// Parses the server's message about a dropped event, for example one dropped by the stream's
    /// or the connection's filter.
    public static FilteredEvent read(JsonNode data) {
        String reason = data.path("reason").asString("filter");
        return new FilteredEvent(
                StoredEvent.read(data), reason, data.path("message").asString(message(reason)));
    }

    private static String message(String reason) {
        return switch (reason) {
            case "filter" -> "it does not match --filter";
            case "connection_filter" -> "the connection's filter drops it";
            case "connection_deleted" -> "the connection was deleted";
            case PAYLOAD_UNREADABLE -> "the server cannot read its stored payload";
            default -> reason;
        };
    }
}
