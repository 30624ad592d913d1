/// Resends stored events: one event, or many that match criteria. Every large bulk resend, and
/// every resend of dead letters selected by criteria, runs in chunks as a job. Such a job is called
/// a replay.
@NullMarked
package dev.sluice.relay.replay;

import org.jspecify.annotations.NullMarked;
