package dev.sluice.observe.metrics;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// The numbers that the metrics read from the database. Every node reads the same numbers.
///
/// @param unfinished the number of unfinished deliveries
/// @param oldestUnfinished when the event of the oldest unfinished delivery arrived, or empty if
///   all deliveries are finished
/// @param circuits the number of destinations whose circuit is not closed, by the circuit's state
/// @param lanes the number of lanes, by `leased` and `waiting`
/// @param liveNodes the number of nodes that have not left and were not declared dead
/// @param auditedUntil the end of the last hour that the audit has checked, or empty if it has
///   checked none
record DatabaseState(
        long unfinished,
        Optional<Instant> oldestUnfinished,
        Map<String, Long> circuits,
        Map<String, Long> lanes,
        long liveNodes,
        Optional<Instant> auditedUntil) {}
