/// The SQL of the relay's tables: events, deliveries, attempts, unfinished work, lanes and nodes.
///
/// Apart from the import of a data file, only this package writes these tables. Each frequently
/// executed statement on events or deliveries has a condition on the source. The transactions that
/// store events and results do not change control tables, such as `lane` and `node`.
@NullMarked
package dev.sluice.relay.store;

import org.jspecify.annotations.NullMarked;
