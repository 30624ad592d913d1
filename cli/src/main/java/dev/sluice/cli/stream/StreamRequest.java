package dev.sluice.cli.stream;

import java.util.Optional;

/// What an [EventFeed] asks the server for.
///
/// @param path the path of the stream, with its query
/// @param cursor the position to continue after; if empty, the query decides where to start
/// @param pathAfterLoss what to ask for after the stream was lost, without a position, so that it
///   starts with the next event; if empty, the stream continues where it ended
public record StreamRequest(String path, String cursor, Optional<String> pathAfterLoss) {

    static StreamRequest resuming(String path) {
        return new StreamRequest(path, "", Optional.empty());
    }
}
