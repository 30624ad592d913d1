/// Fault tests. Each test damages or disturbs the relays, PostgreSQL, the destinations, the
/// network, the disk or the clock under load, and judges the result by named criteria.
@NullMarked
package dev.sluice.faults;

import org.jspecify.annotations.NullMarked;
