/// What a workspace has used of its plan.
@NullMarked
package dev.sluice.features.usage;

import org.jspecify.annotations.NullMarked;
