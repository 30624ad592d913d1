/// Reads waiting deliveries back from the database and hands them to the dispatcher.
///
/// Waiting deliveries are kept in lanes. A lane is a queue that holds one connection's deliveries,
/// and a node leases the lanes it reads. [Backlog] reads the lanes that are due. [ProbeLoop] reads
/// individual deliveries, which are sent as probes to destinations whose circuit is not closed.
@NullMarked
package dev.sluice.relay.lanes;

import org.jspecify.annotations.NullMarked;
