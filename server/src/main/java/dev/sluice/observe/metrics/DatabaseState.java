package dev.sluice.observe.metrics;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// What the database says about all nodes together.
///
/// @param unfinished deliveries that are not finished
/// @param oldestUnfinished when the event of the oldest of them arrived
/// @param circuits destinations by the state of their circuit
/// @param lanes lanes by whether a node has them
/// @param liveNodes nodes whose lease is valid
/// @param auditedUntil the end of the last hour that the audit has checked
record DatabaseState(
        long unfinished,
        Optional<Instant> oldestUnfinished,
        Map<String, Long> circuits,
        Map<String, Long> lanes,
        long liveNodes,
        Optional<Instant> auditedUntil) {}
