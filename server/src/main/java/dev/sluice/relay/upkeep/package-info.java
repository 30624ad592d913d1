/// Periodic repair and checks: lane wake-up times, late and leaked deliveries, long transactions.
@NullMarked
package dev.sluice.relay.upkeep;

import org.jspecify.annotations.NullMarked;
