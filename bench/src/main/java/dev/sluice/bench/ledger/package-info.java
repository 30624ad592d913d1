/// What was sent, answered and received, line by line, and what follows when the two ends are
/// compared.
///
/// A ledger is a text file that is only appended to; each line reaches the file before the step it
/// announces is taken.
@NullMarked
package dev.sluice.bench.ledger;

import org.jspecify.annotations.NullMarked;
