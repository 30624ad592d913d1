/// What live streams send: the events and delivery outcomes of some sources. The order is the same
/// on every node, so a client can continue on another node.
///
/// [StreamFeed] reads the database once for all streams of this node. A stream that has fallen
/// behind reads the database itself until it has caught up. Both read with [StreamReader]. A
/// [StreamCursor] identifies exactly the events that were sent.
@NullMarked
package dev.sluice.observe.feed;

import org.jspecify.annotations.NullMarked;
