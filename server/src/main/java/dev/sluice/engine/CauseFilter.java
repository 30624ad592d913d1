package dev.sluice.engine;

import java.util.Optional;

/// A filter that selects deliveries by the cause of their failure.
///
/// @param code the error code of the last attempt, or the reason why there was no attempt; empty to
///   match any
/// @param responseStatus the HTTP status of the destination's response to the last attempt; empty
///   to match any
public record CauseFilter(Optional<ErrorCode> code, Optional<Integer> responseStatus) {

    public static final CauseFilter ANY = new CauseFilter(Optional.empty(), Optional.empty());
}
