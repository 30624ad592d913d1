/// The SQL for the relay's tables: events, deliveries, attempts, unfinished work, lanes and nodes.
///
/// Only this package writes to these tables, apart from the import of a data file. Each frequently
/// executed statement on events or deliveries has a condition on the source. The transactions that
/// store events and results do not change control tables, such as `lane` and `node`.
@NullMarked
package dev.sluice.relay.store;

import org.jspecify.annotations.NullMarked;
