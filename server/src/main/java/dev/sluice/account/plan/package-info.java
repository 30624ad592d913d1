/// Plans: their prices, limits and features, and how long they keep events.
@NullMarked
package dev.sluice.account.plan;

import org.jspecify.annotations.NullMarked;
