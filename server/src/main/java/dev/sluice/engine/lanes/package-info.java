/// Everything that waits. A lane is what waits on one connection; its rows, its leases, its reading
/// back, probes of open circuits, wake-ups, and the checks that nothing due is forgotten.
@NullMarked
package dev.sluice.engine.lanes;

import org.jspecify.annotations.NullMarked;
