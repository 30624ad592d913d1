package dev.sluice.cli.stream;

import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;

import java.time.Instant;
import java.util.Optional;

/// The position at which a stream starts.
///
/// @param after the id of the event after which the stream starts. Empty if the stream starts with
///   the next event to arrive, or if `cursor` says where to start
/// @param cursor the cursor of an earlier stream; may be empty
/// @param isGapExpected whether the server is expected to report at the start that events are
///   missing because their retention period has ended; if so, this report is not shown
/// @param description a phrase that tells the user where the stream starts
public record StartPlace(
        Optional<String> after, String cursor, boolean isGapExpected, String description) {

    public static final StartPlace NOW = new StartPlace(Optional.empty(), "", false, "from now on");

    /// An id lower than any event's id. A stream that continues after this id begins with the
    /// oldest event.
    private static final String BEFORE_ALL_EVENTS = "00000000-0000-7000-8000-000000000000";

    public static StartPlace oldest() {
        return new StartPlace(Optional.of(BEFORE_ALL_EVENTS), "", true, "from the oldest event on");
    }

    public static StartPlace atCursor(String cursor) {
        return new StartPlace(Optional.empty(), cursor, false, "from where it stopped last");
    }

    /// Returns the position after the last event that was received before `time`. If there is no
    /// such event, returns the position before the oldest event. The stream can still begin with a
    /// few events that were received before `time`.
    public static StartPlace since(Instant time, ServerClient client) {
        String path =
                new QueryString()
                        .with("received_before", time.toString())
                        .with("limit", "1")
                        .after("events");
        String id = client.get(path).json().path("items").path(0).path("id").asString("");
        String description = "from " + time + " on";
        return id.isEmpty()
                ? new StartPlace(Optional.of(BEFORE_ALL_EVENTS), "", true, description)
                : new StartPlace(Optional.of(id), "", false, description);
    }
}
