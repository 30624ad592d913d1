/// Accepts webhooks at `/in/<token>`: finds the source, checks limits, reads the body, verifies the
/// request, stores the event and replies.
@NullMarked
package dev.sluice.relay.ingest;

import org.jspecify.annotations.NullMarked;
