/// Reports how much of its plan's limits a workspace has used.
@NullMarked
package dev.sluice.observe.limits;

import org.jspecify.annotations.NullMarked;
