/// Changes a workspace's plan and applies the new limits on this node.
@NullMarked
package dev.sluice.gateway.planchange;

import org.jspecify.annotations.NullMarked;
