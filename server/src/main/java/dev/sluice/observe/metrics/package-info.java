/// The metrics of this process, in the text format of Prometheus.
@NullMarked
package dev.sluice.observe.metrics;

import org.jspecify.annotations.NullMarked;
