package dev.sluice.cli.stream;

import dev.sluice.cli.server.ServerClient;

import java.util.Optional;

/// The request with which an [EventFeed] opens its stream.
///
/// @param path the path of the stream, with its query
/// @param cursor the position to continue after; if empty, the query in `path` says where to start
/// @param pathAfterLoss the path to request after the stream has been lost. This path has no
///   position, so only events that arrive from then on are shown. If empty, the stream resumes
///   after the last position
/// @param choice the events that the stream shows, used to count missed events, and to fetch them
///   from the API if the stream can no longer send them. If empty, missed events are neither
///   counted nor fetched
/// @param isFull whether events include their headers and body
public record StreamRequest(
        String path,
        String cursor,
        Optional<String> pathAfterLoss,
        Optional<StreamChoice> choice,
        boolean isFull) {

    static StreamRequest resuming(String path) {
        return new StreamRequest(path, "", Optional.empty(), Optional.empty(), true);
    }

    /// Returns a reader for the stored events that the stream shows. Returns empty if `choice` is
    /// empty, or if it has a filter or a connection, which only a stream can apply.
    Optional<StoredEvents> storedEvents(ServerClient client) {
        return choice.filter(all -> all.filter().isEmpty() && all.connection().isEmpty())
                .map(all -> new StoredEvents(client, all.sources(), isFull));
    }
}
