/// Decides what an attempt's outcome means for its delivery.
@NullMarked
package dev.sluice.relay.settle;

import org.jspecify.annotations.NullMarked;
