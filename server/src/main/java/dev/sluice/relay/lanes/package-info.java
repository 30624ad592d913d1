/// Reads waiting deliveries back from the database and hands them to the dispatcher.
///
/// Waiting deliveries are kept in lanes: a lane is the queue of one connection's deliveries. A node
/// leases the lanes it reads. [Backlog] reads the lanes that are due; [ProbeLoop] reads single
/// deliveries that probe a destination whose circuit is open.
@NullMarked
package dev.sluice.relay.lanes;

import org.jspecify.annotations.NullMarked;
