package dev.sluice.cli.events;

import tools.jackson.databind.JsonNode;

/// A dropped event and the reason why it was dropped, such as a filter or a source without a route.
///
/// @param reason a stable, machine-readable code, such as `filter`
/// @param message the reason as a phrase for people
public record FilteredEvent(StoredEvent event, String reason, String message) {

    private static final String PAYLOAD_UNREADABLE = "payload_unreadable";

    /// Returns a filtered event whose reason is that the server cannot read its payload.
    public static FilteredEvent unreadable(StoredEvent event) {
        return new FilteredEvent(event, PAYLOAD_UNREADABLE, message(PAYLOAD_UNREADABLE));
    }

    /// Parses the server's message about a dropped event, for example one dropped by the filter of
    /// the stream or of the connection.
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
