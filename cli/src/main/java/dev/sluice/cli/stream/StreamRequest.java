package dev.sluice.cli.stream;

import dev.sluice.cli.server.ServerClient;

import java.util.Optional;

/// What an [EventFeed] asks the server for.
///
/// @param path the path of the stream, with its query
/// @param cursor the position to continue after; if empty, the query decides where to start
/// @param pathAfterLoss what to ask for after the stream was lost, without a position, so that it
///   starts with the next event; if empty, the stream continues where it ended
/// @param choice the events of the stream, to list those that a stream cannot bring any more; empty
///   if they are not wanted
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

    /// Returns what lists the events of the stream. Empty if they are not wanted, or if only the
    /// stream itself can choose them, because they pass a filter.
    Optional<StoredEvents> storedEvents(ServerClient client) {
        return choice.filter(all -> all.filter().isEmpty() && all.connection().isEmpty())
                .map(all -> new StoredEvents(client, all.sources(), isFull));
    }
}
