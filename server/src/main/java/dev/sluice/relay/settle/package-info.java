/// Decides what the outcome of an attempt means for its delivery.
@NullMarked
package dev.sluice.relay.settle;

import org.jspecify.annotations.NullMarked;
