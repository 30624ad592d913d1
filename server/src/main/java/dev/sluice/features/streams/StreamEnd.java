package dev.sluice.features.streams;

import java.util.Locale;

/// The reasons why the server ends a stream.
enum StreamEnd {
    /// The API key or the session is no longer valid, the session has switched to another
    /// workspace, or the user has left the workspace.
    ACCESS_ENDED,
    /// The operator has suspended the workspace.
    WORKSPACE_SUSPENDED,
    /// A source that the request named was deleted.
    SOURCE_GONE,
    /// The connection that the request named, or its destination, was deleted.
    CONNECTION_GONE,
    /// The workspace has more streams open than its plan allows. Either the workspace has changed
    /// to a smaller plan, or other nodes opened streams while this node was cut off from the
    /// database.
    STREAM_LIMIT_REACHED,
    /// The database did not respond, the stream waited too long for a permit to read or to prepare
    /// messages, or the stream could not continue without a gap.
    UNAVAILABLE,
    SERVER_STOPPING;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
