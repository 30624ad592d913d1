/// The bare pipeline. It uses the same libraries as the relay and works like the relay, but has
/// none of its features. Its cost is a lower bound that the relay's cost is compared with.
@NullMarked
package dev.sluice.bench.bare;

import org.jspecify.annotations.NullMarked;
