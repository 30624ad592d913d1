/// This process's metrics, in the Prometheus text format.
@NullMarked
package dev.sluice.observe.metrics;

import org.jspecify.annotations.NullMarked;
