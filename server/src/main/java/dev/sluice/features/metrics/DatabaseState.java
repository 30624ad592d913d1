package dev.sluice.features.metrics;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// The values of the metrics that are read from the database. They are the same on every node.
///
/// @param workspaces what each workspace has
/// @param oldestUnfinished when the event of the oldest unfinished delivery arrived, or empty if
///   all deliveries are finished
/// @param circuits the number of destinations whose circuit is not closed, by the circuit's state
/// @param lanes the number of `leased` lanes and the number of `waiting` lanes
/// @param liveNodes the number of nodes that have neither left nor been declared dead
/// @param auditedUntil the end of the last hour that the audit has checked, or empty if it has
///   checked none
/// @param suspendedWorkspaces the number of workspaces that the operator has suspended
record DatabaseState(
        WorkspaceTotals workspaces,
        Optional<Instant> oldestUnfinished,
        Map<String, Long> circuits,
        Map<String, Long> lanes,
        long liveNodes,
        Optional<Instant> auditedUntil,
        long suspendedWorkspaces) {}
