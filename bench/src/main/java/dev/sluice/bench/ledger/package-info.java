/// Records which messages were sent, answered and received, and compares the sender's records with
/// the receiver's.
///
/// A ledger is an append-only text file. A line that announces a step, such as sending a message,
/// is written before that step is taken.
@NullMarked
package dev.sluice.bench.ledger;

import org.jspecify.annotations.NullMarked;
