/// Evaluates the filters of connections: at ingest within a small effort, and later for those
/// deliveries whose filter took more than that.
@NullMarked
package dev.sluice.relay.filtering;

import org.jspecify.annotations.NullMarked;
