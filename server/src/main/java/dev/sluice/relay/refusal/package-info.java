/// Counts of refused ingest requests, by source, minute and reason. Kept in memory, and written to
/// the usage counts every two seconds.
@NullMarked
package dev.sluice.relay.refusal;

import org.jspecify.annotations.NullMarked;
