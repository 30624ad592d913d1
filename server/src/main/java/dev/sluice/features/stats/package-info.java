/// Statistics: counts by hour, day or month, latencies, refusals.
@NullMarked
package dev.sluice.features.stats;

import org.jspecify.annotations.NullMarked;
