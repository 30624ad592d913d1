/// Traces events: one span each for ingest, the commit, and every delivery attempt.
@NullMarked
package dev.sluice.relay.trace;

import org.jspecify.annotations.NullMarked;
