/// Counts refused ingest requests by source, minute and reason. The counts are kept in memory and
/// written to the usage ledger every few seconds.
@NullMarked
package dev.sluice.relay.refusal;

import org.jspecify.annotations.NullMarked;
