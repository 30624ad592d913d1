/// The HTTP side of live streams: `tail` and `stream` for one source, and `stream` for several
/// sources.
///
/// An [EventStream] sends one client the items that it gets from this node's feed. [OpenStreams]
/// counts each workspace's streams, and ends streams whose caller may no longer read them.
@NullMarked
package dev.sluice.observe.stream;

import org.jspecify.annotations.NullMarked;
