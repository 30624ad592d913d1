package dev.sluice.cli.stream;

import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;

import java.time.Instant;
import java.util.Optional;

/// Where a stream begins.
///
/// @param after an event's id; empty for the next event, or where there is a cursor
/// @param cursor of a stream before; may be empty
/// @param isGapExpected whether the server's word of missing events says nothing new
public record StartPlace(Optional<String> after, String cursor, boolean isGapExpected) {

    public static final StartPlace NOW = new StartPlace(Optional.empty(), "", false);

    /// The id of an event at the beginning of time: what is kept comes after it.
    private static final String BEFORE_ALL_EVENTS = "00000000-0000-7000-8000-000000000000";

    public static StartPlace oldest() {
        return new StartPlace(Optional.of(BEFORE_ALL_EVENTS), "", true);
    }

    public static StartPlace atCursor(String cursor) {
        return new StartPlace(Optional.empty(), cursor, false);
    }

    /// The place after the last event that came in before this time. A few earlier ones may follow
    /// it.
    public static StartPlace since(Instant time, ServerClient client) {
        String path =
                new QueryString()
                        .with("received_before", time.toString())
                        .with("limit", "1")
                        .after("events");
        String id = client.get(path).json().path("items").path(0).path("id").asString("");
        return id.isEmpty() ? oldest() : new StartPlace(Optional.of(id), "", false);
    }
}
