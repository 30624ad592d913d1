/// Records which attempts are in flight in a file that outlives the process, and counts those
/// attempts after a crash.
@NullMarked
package dev.sluice.relay.inflight;

import org.jspecify.annotations.NullMarked;
