package dev.sluice.cli.stream;

import dev.sluice.cli.server.ServerClient;

import java.util.Optional;

/// The request with which an [EventFeed] opens its stream.
///
/// @param path the path of the stream, with its query
/// @param cursor the position to continue after; if empty, the query in `path` says where to start
/// @param pathAfterLoss the path to request after the stream has been lost. It has no position, so
///   the stream starts with the next event. If empty, the stream continues where it ended
/// @param choice which events the stream shows. It is used to list missed events that the stream
///   itself can no longer send; empty if those are not to be listed
/// @param isFull whether events include headers and body
public record StreamRequest(
        String path,
        String cursor,
        Optional<String> pathAfterLoss,
        Optional<StreamChoice> choice,
        boolean isFull) {

    static StreamRequest resuming(String path) {
        return new StreamRequest(path, "", Optional.empty(), Optional.empty(), true);
    }

    /// Returns a reader of the stored events that the stream shows. Returns empty if `choice` is
    /// empty, or if the stream has a filter or a connection, which only the stream itself can
    /// apply.
    Optional<StoredEvents> storedEvents(ServerClient client) {
        return choice.filter(all -> all.filter().isEmpty() && all.connection().isEmpty())
                .map(all -> new StoredEvents(client, all.sources(), isFull));
    }
}
