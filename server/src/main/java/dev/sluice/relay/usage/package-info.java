/// Counts usage. Each batch of events, results, resends or refusals writes one row of the usage
/// ledger, which is later folded into sums by hour, by day and in total.
@NullMarked
package dev.sluice.relay.usage;

import org.jspecify.annotations.NullMarked;
