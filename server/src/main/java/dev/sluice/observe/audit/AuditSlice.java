package dev.sluice.observe.audit;

import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.EventId;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The check of all events received in one slice of time.
///
/// All rows are read in one database snapshot. Deliveries constantly move from the work table to
/// the history table, and a snapshot shows all of them at the same moment.
///
/// @param isTruncated whether there were more suspicious events than were examined one by one
record AuditSlice(HourlyUsage usage, List<InvariantViolation> violations, boolean isTruncated) {

    /// The maximum number of events that are examined one by one. Events that look right are only
    /// counted.
    private static final int MAX_SUSPECTS = 1_000;

    /// @param tx a transaction that reads a snapshot
    /// @param to not later than the end of the UTC day that contains `from`
    static AuditSlice read(Tx tx, Instant from, Instant to) {
        AuditQueries.limit(tx);
        var low = Uuid7.floor(from);
        var high = Uuid7.floor(to);
        var sources = AuditQueries.sources(tx, from);
        var suspects = AuditQueries.suspects(tx, sources, low, high, MAX_SUSPECTS + 1);
        boolean isTruncated = suspects.size() > MAX_SUSPECTS;
        return new AuditSlice(
                HourlyUsageQueries.fromRows(tx, sources, low, high),
                suspects.isEmpty()
                        ? List.of()
                        : checkSuspects(
                                tx,
                                sources,
                                isTruncated ? suspects.subList(0, MAX_SUSPECTS) : suspects),
                isTruncated);
    }

    private static List<InvariantViolation> checkSuspects(
            Tx tx, List<UUID> sources, List<EventId> suspects) {
        var storedEvents = AuditQueries.events(tx, sources, suspects);
        var rowsByEvent = AuditQueries.deliveries(tx, suspects);
        var findings = new ArrayList<InvariantViolation>();
        for (var suspect : suspects) {
            findings.addAll(
                    AuditedDelivery.findViolations(
                            Optional.ofNullable(storedEvents.get(suspect)),
                            rowsByEvent.getOrDefault(suspect, List.of())));
        }
        return findings;
    }
}
