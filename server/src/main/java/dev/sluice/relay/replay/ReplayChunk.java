package dev.sluice.relay.replay;

import dev.sluice.relay.EventId;

import java.util.Optional;

/// The result of one chunk of a bulk resend.
///
/// @param created number of resends created, including those that an earlier try of the same chunk
///   created
/// @param skipped number of events that were not resent, because a user or another job resent them
///   first, or because they have no ordinal left (an ordinal numbers a delivery within its event)
/// @param last the last event that was looked at; empty if the chunk was looked at to its end
record ReplayChunk(int created, int skipped, Optional<EventId> last) {}
