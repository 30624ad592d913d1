/// This process among others: its lease, and taking over from one that died.
@NullMarked
package dev.sluice.relay.node;

import org.jspecify.annotations.NullMarked;
