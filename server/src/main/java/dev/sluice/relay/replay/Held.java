package dev.sluice.relay.replay;

import java.time.Instant;
import java.util.List;

/// A job whose lease this process has.
///
/// @param beside as `ReplayStore.beside` says
/// @param until no other has it before that, by `System.nanoTime`
record Held(Replay replay, List<Instant> beside, long until) {

    Held {
        beside = List.copyOf(beside);
    }
}
