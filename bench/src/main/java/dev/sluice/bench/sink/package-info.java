/// The receiver of deliveries. It counts requests. Depending on its configuration, it answers them,
/// hangs, fails them, or refuses connections.
@NullMarked
package dev.sluice.bench.sink;

import org.jspecify.annotations.NullMarked;
