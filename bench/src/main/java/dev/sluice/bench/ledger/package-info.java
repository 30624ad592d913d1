/// Records what was sent, answered and received, line by line, and compares the two ends.
///
/// A ledger is a text file that is only appended to. Each line is written to the file before the
/// step that it announces.
@NullMarked
package dev.sluice.bench.ledger;

import org.jspecify.annotations.NullMarked;
