package dev.sluice.observe.stream;

import java.util.Locale;

/// The reasons why the server ends a stream.
enum StreamEnd {
    /// The API key or the session is no longer valid, or its person has left the workspace.
    ACCESS_ENDED,
    /// A source that the request named was deleted.
    SOURCE_GONE,
    /// The connection that the request named, or its destination, was deleted.
    CONNECTION_GONE,
    /// The workspace's plan has become smaller. Or other streams took the place of this stream
    /// while the node was cut off from the database.
    STREAM_LIMIT_REACHED,
    /// The database did not answer.
    UNAVAILABLE,
    SERVER_STOPPING;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
