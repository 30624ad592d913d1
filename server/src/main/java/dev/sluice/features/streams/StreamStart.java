package dev.sluice.features.streams;

import java.util.Optional;

/// Where a stream begins.
///
/// @param cursor the position after which the stream begins, or empty if the stream begins with the
///   next event
/// @param gap the reason why events or outcomes after the client's cursor may be missing, or empty
///   if none are missing
public record StreamStart(Optional<StreamCursor> cursor, Optional<String> gap) {

    public static final StreamStart NOW = new StreamStart(Optional.empty(), Optional.empty());
}
