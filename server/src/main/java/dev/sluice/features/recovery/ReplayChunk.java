package dev.sluice.features.recovery;

import dev.sluice.engine.EventId;

import java.util.Optional;

/// The result of one chunk of a bulk resend.
///
/// @param created the number of resends created, including any that an earlier try of the same
///   chunk created
/// @param skipped the number of events that were not resent, because a user or another job resent
///   them first, or because they have no ordinal left (an ordinal numbers a delivery within its
///   event)
/// @param last the last event that was processed; empty if all events in the chunk were processed
record ReplayChunk(int created, int skipped, Optional<EventId> last) {}
