/// Whether a destination may be tried: its circuit, which all nodes share.
@NullMarked
package dev.sluice.relay.circuit;

import org.jspecify.annotations.NullMarked;
