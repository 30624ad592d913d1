/// Registers this process as one of the nodes that share a database, renews its lease, and takes
/// over the work of nodes that died.
@NullMarked
package dev.sluice.relay.node;

import org.jspecify.annotations.NullMarked;
