/// Reports how much a workspace has used of its plan's limits.
@NullMarked
package dev.sluice.observe.limits;

import org.jspecify.annotations.NullMarked;
