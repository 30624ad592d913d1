/// The bare pipeline: it uses the relay's libraries and works like the relay, but has none of its
/// features. Its cost is the lower bound that the relay's cost is compared with.
@NullMarked
package dev.sluice.bench.bare;

import org.jspecify.annotations.NullMarked;
