/// The sink, which receives deliveries and counts the requests. Depending on its configuration, it
/// answers requests, hangs, fails them, or refuses connections.
@NullMarked
package dev.sluice.bench.sink;

import org.jspecify.annotations.NullMarked;
