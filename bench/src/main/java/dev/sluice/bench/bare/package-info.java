/// The bare pipeline, a stripped-down relay that is built on the same libraries as the real one but
/// has none of its features. The bare pipeline's cost is a lower bound to compare the relay's cost
/// with. [dev.sluice.bench.bare.CommitLoop] shows the part of it that is PostgreSQL's.
@NullMarked
package dev.sluice.bench.bare;

import org.jspecify.annotations.NullMarked;
