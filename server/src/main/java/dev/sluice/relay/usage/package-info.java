/// Usage counts. Each batch of events or results writes one ledger row, which is later folded into
/// sums by hour, by day and in total.
@NullMarked
package dev.sluice.relay.usage;

import org.jspecify.annotations.NullMarked;
