/// The spans of an event: its ingest, its commit, and each attempt at its deliveries.
@NullMarked
package dev.sluice.relay.trace;

import org.jspecify.annotations.NullMarked;
