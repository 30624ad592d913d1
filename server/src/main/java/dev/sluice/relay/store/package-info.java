/// The SQL of the relay's tables: events, deliveries, attempts, unfinished work, lanes and nodes.
///
/// Only this package writes these tables. Each frequently executed statement names the source. A
/// transaction touches either hot tables or control tables, never both.
@NullMarked
package dev.sluice.relay.store;

import org.jspecify.annotations.NullMarked;
