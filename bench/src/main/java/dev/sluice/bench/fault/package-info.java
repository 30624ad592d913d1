/// Relays under trouble: each fault does some harm to relays, PostgreSQL, network, disk or clock
/// while they are under load, and says by named criteria whether they bore it.
@NullMarked
package dev.sluice.bench.fault;

import org.jspecify.annotations.NullMarked;
