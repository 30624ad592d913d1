/// Group commits: the queues in front of the database, which write many events, or many results, in
/// one transaction.
///
/// [Journal] makes accepted events durable before their senders are answered. [ResultJournal]
/// writes the results of attempts. The SQL statements themselves are in `relay.store`.
@NullMarked
package dev.sluice.relay.journal;

import org.jspecify.annotations.NullMarked;
