/// Evaluates the filters of connections: first at ingest, within a small effort, and later for
/// deliveries whose filter would have exceeded that effort.
@NullMarked
package dev.sluice.relay.filtering;

import org.jspecify.annotations.NullMarked;
