/// The HTTP side of live streams: `tail` and `stream` for one source, and `stream` for several
/// sources.
///
/// An [EventStream] sends one client the items that it gets from the feed of this node.
/// [OpenStreams] counts the streams of each workspace, and ends streams whose caller may no longer
/// read them.
@NullMarked
package dev.sluice.observe.stream;

import org.jspecify.annotations.NullMarked;
