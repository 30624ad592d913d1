/// Accepts webhooks at `/in/<token>`: finds the source, reads the body, stores the event and
/// replies.
@NullMarked
package dev.sluice.relay.ingest;

import org.jspecify.annotations.NullMarked;
