/// Counts what was committed: the ledger, its folding into sums, and the log of commits.
@NullMarked
package dev.sluice.engine.ledger;

import org.jspecify.annotations.NullMarked;
