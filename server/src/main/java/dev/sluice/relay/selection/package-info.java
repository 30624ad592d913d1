/// Finds and counts the events that a bulk resend selects.
@NullMarked
package dev.sluice.relay.selection;

import org.jspecify.annotations.NullMarked;
