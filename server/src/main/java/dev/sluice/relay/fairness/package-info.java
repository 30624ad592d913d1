/// Shares the scarce resources of a node fairly: send permits, payload memory, and the attempts per
/// second that a destination allows.
///
/// The code in this package starts no threads, uses no database and sends nothing.
@NullMarked
package dev.sluice.relay.fairness;

import org.jspecify.annotations.NullMarked;
