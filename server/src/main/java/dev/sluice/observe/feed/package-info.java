/// Provides what live streams send: events and delivery outcomes. Their order is the same on every
/// node, so a client can continue on another node.
///
/// [StreamFeed] reads the database once for all streams of this node. A stream that has fallen
/// behind reads the database itself until it has caught up. Both use [StreamReader]. A
/// [StreamCursor] identifies exactly which events and outcomes have been sent.
@NullMarked
package dev.sluice.observe.feed;

import org.jspecify.annotations.NullMarked;
