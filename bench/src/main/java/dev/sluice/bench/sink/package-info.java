/// The receiver of deliveries. It counts requests. As configured, it answers them, hangs, fails
/// them, or refuses connections.
@NullMarked
package dev.sluice.bench.sink;

import org.jspecify.annotations.NullMarked;
