/// Resends stored events: one event, or many that match criteria. A large bulk resend, and every
/// resend of dead letters by criteria, runs as a job in chunks. Such a job is called a replay.
@NullMarked
package dev.sluice.relay.replay;

import org.jspecify.annotations.NullMarked;
