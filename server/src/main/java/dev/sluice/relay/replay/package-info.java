/// Resends stored events: one event, or many that match criteria. A large bulk resend runs as a job
/// of many chunks, called a replay.
@NullMarked
package dev.sluice.relay.replay;

import org.jspecify.annotations.NullMarked;
