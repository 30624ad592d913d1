/// Records which attempts are in flight, in a file that survives the process, and counts them after
/// a crash.
@NullMarked
package dev.sluice.relay.inflight;

import org.jspecify.annotations.NullMarked;
