/// Changes the plan of a workspace, and applies the new limits on this node.
@NullMarked
package dev.sluice.gateway.planchange;

import org.jspecify.annotations.NullMarked;
