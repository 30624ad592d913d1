/// Evaluates the filters of connections. Ingest evaluates them first, with a small limit on the
/// effort. Filters that would exceed the limit are evaluated later, before the delivery is sent.
@NullMarked
package dev.sluice.relay.filtering;

import org.jspecify.annotations.NullMarked;
