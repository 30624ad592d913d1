/// Live streams of events: `tail` and `stream` of a source, and of several.
///
/// [StreamFeed] reads the database once for all streams of this node; an [EventStream] that is
/// behind reads for itself until it has caught up. Both read with [StreamReader]. A [StreamCursor]
/// says exactly which events were sent.
@NullMarked
package dev.sluice.observe.stream;

import org.jspecify.annotations.NullMarked;
