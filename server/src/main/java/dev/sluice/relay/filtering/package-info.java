/// Evaluates connection filters. Ingest evaluates them first, within a small effort limit. A filter
/// that would exceed the limit is evaluated later, before the delivery is sent.
@NullMarked
package dev.sluice.relay.filtering;

import org.jspecify.annotations.NullMarked;
