/// Fault tests. Each test damages or disturbs relays, PostgreSQL, network, disk or clock under
/// load, and judges the result by named criteria.
@NullMarked
package dev.sluice.faults;

import org.jspecify.annotations.NullMarked;
