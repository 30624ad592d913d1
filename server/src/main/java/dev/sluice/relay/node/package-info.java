/// This process's membership among the nodes on one database: its lease, and the takeover from
/// nodes that died.
@NullMarked
package dev.sluice.relay.node;

import org.jspecify.annotations.NullMarked;
