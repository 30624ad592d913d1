/// The bare pipeline, a stripped-down relay that is built on the same libraries as the real one but
/// has none of its features. The bare pipeline's cost is a lower bound to compare the relay's cost
/// with.
@NullMarked
package dev.sluice.bench.bare;

import org.jspecify.annotations.NullMarked;
