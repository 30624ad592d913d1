/// What was on the wire when a process died, in a file that outlives it.
@NullMarked
package dev.sluice.relay.wire;

import org.jspecify.annotations.NullMarked;
