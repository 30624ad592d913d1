/// Group commits, which queue events and results and then write many of them to the database in one
/// transaction.
///
/// [Journal] makes accepted events durable before their senders get a response. [ResultJournal]
/// writes the results of attempts. The SQL statements themselves are in `relay.store`.
@NullMarked
package dev.sluice.relay.journal;

import org.jspecify.annotations.NullMarked;
