/// Reads waiting deliveries back from the database and hands them to the dispatcher.
///
/// Waiting deliveries are kept in lanes: a lane is the queue of one connection's deliveries. A node
/// leases the lanes it reads. [Backlog] reads the lanes that are due. [ProbeLoop] reads single
/// deliveries, which are sent as probes to destinations whose circuit is not closed.
@NullMarked
package dev.sluice.relay.lanes;

import org.jspecify.annotations.NullMarked;
