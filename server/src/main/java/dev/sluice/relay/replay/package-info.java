/// Sends again what was delivered before: one event, or all that failed on a connection, which may
/// be a job of many chunks.
@NullMarked
package dev.sluice.relay.replay;

import org.jspecify.annotations.NullMarked;
