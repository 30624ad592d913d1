/// How much of its plan a workspace has used.
@NullMarked
package dev.sluice.observe.limits;

import org.jspecify.annotations.NullMarked;
