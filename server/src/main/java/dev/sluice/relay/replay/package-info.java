/// Resends of stored events: one event, or all events that ended with given statuses on a
/// connection. A large bulk resend runs as a job of many chunks.
@NullMarked
package dev.sluice.relay.replay;

import org.jspecify.annotations.NullMarked;
