/// The receiver of deliveries, which answers, hangs, fails or refuses, and counts.
@NullMarked
package dev.sluice.bench.sink;

import org.jspecify.annotations.NullMarked;
