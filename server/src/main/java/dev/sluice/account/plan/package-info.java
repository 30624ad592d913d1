/// The plan catalogue: prices, limits and features.
@NullMarked
package dev.sluice.account.plan;

import org.jspecify.annotations.NullMarked;
