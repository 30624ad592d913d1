/// The registration of this process as one of the nodes on a database: its lease, and the takeover
/// of work from nodes that died.
@NullMarked
package dev.sluice.relay.node;

import org.jspecify.annotations.NullMarked;
