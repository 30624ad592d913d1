package dev.sluice.observe.stream;

import java.util.Optional;

/// Where a stream begins.
///
/// @param cursor empty: with the next event
/// @param gap why events between the client's cursor and this one may be missing; empty if none is
record StreamStart(Optional<StreamCursor> cursor, Optional<String> gap) {

    static final StreamStart NOW = new StreamStart(Optional.empty(), Optional.empty());
}
