/// The receiver of deliveries. It counts requests, and answers, hangs, fails or refuses connections
/// as configured.
@NullMarked
package dev.sluice.bench.sink;

import org.jspecify.annotations.NullMarked;
