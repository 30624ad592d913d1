/// Shares what is scarce on a node: send permits, payload memory, and the attempts per second that
/// a destination allows.
///
/// The code in this package only keeps count: it starts no thread, reads no database and sends
/// nothing.
@NullMarked
package dev.sluice.relay.fairness;

import org.jspecify.annotations.NullMarked;
