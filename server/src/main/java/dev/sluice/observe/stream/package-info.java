/// The HTTP side of live streams: `tail` and `stream` of a source, and of several sources.
///
/// An [EventStream] sends the items that it gets from the feed of its node. [OpenStreams] counts
/// the streams of each workspace, and ends streams whose caller may no longer read them.
@NullMarked
package dev.sluice.observe.stream;

import org.jspecify.annotations.NullMarked;
