/// Periodic repairs and checks. They cover lane wake-up times, late and leaked deliveries, and long
/// transactions.
@NullMarked
package dev.sluice.relay.upkeep;

import org.jspecify.annotations.NullMarked;
