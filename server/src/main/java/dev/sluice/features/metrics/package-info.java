/// `/metrics`, on a port of its own.
@NullMarked
package dev.sluice.features.metrics;

import org.jspecify.annotations.NullMarked;
