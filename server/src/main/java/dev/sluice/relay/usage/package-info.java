/// Counts usage. Each batch of events, results, resends or refusals adds one row to the usage
/// ledger. These rows are later folded into sums by hour, by day and in total.
@NullMarked
package dev.sluice.relay.usage;

import org.jspecify.annotations.NullMarked;
