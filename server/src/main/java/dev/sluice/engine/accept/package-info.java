/// Accepts webhooks: finds the source, checks its limits, verifies the sender, plans the
/// deliveries, hands the event to `commit` and answers. Also counts what is refused.
@NullMarked
package dev.sluice.engine.accept;

import org.jspecify.annotations.NullMarked;
