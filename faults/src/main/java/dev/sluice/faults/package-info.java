/// Fault tests: each does some harm to relays, PostgreSQL, network, disk or clock under load, and
/// judges the outcome by named criteria.
@NullMarked
package dev.sluice.faults;

import org.jspecify.annotations.NullMarked;
