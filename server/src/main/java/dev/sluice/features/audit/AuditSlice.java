package dev.sluice.features.audit;

import dev.sluice.engine.EventId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The result of checking all events received in one time slice.
///
/// All rows are read in one database snapshot. Deliveries constantly move from the work table to
/// the history table; in a snapshot, each delivery is in exactly one of them.
///
/// @param usage the usage computed by counting the rows in the slice
/// @param isTruncated whether there were more suspicious events or unreadable payloads than were
///   examined
record AuditSlice(HourlyUsage usage, List<InvariantViolation> violations, boolean isTruncated) {

    /// The maximum number of suspicious events to examine one by one. It is also the maximum number
    /// of deliveries with an unreadable payload to report. All other events are only counted.
    private static final int MAX_SUSPECTS = 1_000;

    /// Checks the events received from `from` up to but not including `to`.
    ///
    /// @param tx a transaction in which all queries see the same snapshot
    /// @param to not later than the end of the UTC day that contains `from`
    static AuditSlice read(Tx tx, Instant from, Instant to) {
        AuditQueries.limit(tx);
        var low = Uuid7.floor(from);
        var high = Uuid7.floor(to);
        var sources = AuditQueries.sources(tx, from);
        var suspects = AuditQueries.suspects(tx, sources, low, high, MAX_SUSPECTS + 1);
        var unreadable = AuditQueries.withUnreadablePayload(tx, low, high, MAX_SUSPECTS + 1);
        var findings = new ArrayList<InvariantViolation>();
        if (!suspects.isEmpty()) {
            findings.addAll(checkSuspects(tx, sources, atMost(suspects)));
        }
        for (var delivery : atMost(unreadable)) {
            findings.add(
                    new InvariantViolation(
                            Invariant.UNREADABLE,
                            delivery + " ended unsent, because its event's payload is damaged"));
        }
        return new AuditSlice(
                HourlyUsageQueries.fromRows(tx, sources, low, high),
                findings,
                suspects.size() > MAX_SUSPECTS || unreadable.size() > MAX_SUSPECTS);
    }

    private static <T> List<T> atMost(List<T> found) {
        return found.size() > MAX_SUSPECTS ? found.subList(0, MAX_SUSPECTS) : found;
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
