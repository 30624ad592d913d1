/// Shares permits, memory, filter work and turns between workspaces and destinations. Pure
/// bookkeeping.
@NullMarked
package dev.sluice.engine.share;

import org.jspecify.annotations.NullMarked;
