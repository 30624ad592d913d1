/// What is counted and measured: histograms that are cheap to update and can be read at any time,
/// and counters that a room offers to the metrics.
@NullMarked
package dev.sluice.platform.meter;

import org.jspecify.annotations.NullMarked;
