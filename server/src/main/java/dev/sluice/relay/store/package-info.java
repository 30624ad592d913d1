/// Everything the relay keeps: events, deliveries, attempts, unfinished work, lanes, nodes, usage.
///
/// The only room that writes these tables. Each hot statement names the source, and one transaction
/// touches either hot tables or control tables, never both.
@NullMarked
package dev.sluice.relay.store;

import org.jspecify.annotations.NullMarked;
