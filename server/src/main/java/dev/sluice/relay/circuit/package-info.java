/// Circuit breakers, which decide whether attempts at a destination may be made. Their state is
/// shared by all nodes.
@NullMarked
package dev.sluice.relay.circuit;

import org.jspecify.annotations.NullMarked;
