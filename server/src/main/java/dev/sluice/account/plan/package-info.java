/// Plans: their prices, limits and features, and how long each plan keeps events.
@NullMarked
package dev.sluice.account.plan;

import org.jspecify.annotations.NullMarked;
