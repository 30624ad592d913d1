package dev.sluice.features.audit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.history.IngestOrdinals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/// A row that stores a delivery, and the table that contains the row. The audit compares each event
/// with its delivery rows.
///
/// @param source the source id in the row
record AuditedDelivery(DeliveryId delivery, UUID source, DeliveryTable table) {

    /// The table that contains a row: `delivery_work` for unfinished deliveries, or `delivery` for
    /// finished ones, whose rows never change.
    enum DeliveryTable {
        WORK,
        HISTORY
    }

    /// An event, with the numbers that tell which delivery rows it should have. The deliveries that
    /// ingest planned are numbered from 1 to `fanout`; a delivery's number is called its ordinal.
    /// The last `filtered` of these deliveries have no row, because the event did not match their
    /// connections' filters.
    record AuditedEvent(EventId event, UUID source, int fanout, int filtered) {

        int expectedRows() {
            return new IngestOrdinals(fanout, filtered).rowCount();
        }
    }

    /// Compares the delivery rows of one event with the event itself.
    ///
    /// @param storedEvent empty if the event is not stored
    /// @param rows all rows whose delivery id belongs to this event, even if they name a different
    ///   source
    static List<InvariantViolation> findViolations(
            Optional<AuditedEvent> storedEvent, List<AuditedDelivery> rows) {
        var findings = new ArrayList<InvariantViolation>();
        SortedMap<Integer, List<AuditedDelivery>> byOrdinal = new TreeMap<>();
        for (var row : rows) {
            byOrdinal.computeIfAbsent(row.delivery.ordinal(), _ -> new ArrayList<>()).add(row);
        }
        for (int ordinal = 1;
                ordinal <= storedEvent.map(AuditedEvent::expectedRows).orElse(0);
                ordinal++) {
            if (!byOrdinal.containsKey(ordinal)) {
                findings.add(
                        new InvariantViolation(
                                Invariant.LOST,
                                DeliveryId.of(storedEvent.orElseThrow().event(), ordinal)
                                        + " is in neither work nor history"));
            }
        }
        findMissingResends(storedEvent, byOrdinal, findings);
        byOrdinal.forEach((ordinal, same) -> findViolations(storedEvent, ordinal, same, findings));
        return findings;
    }

    /// Finds gaps in the ordinals of the resends. Resends are numbered without gaps, so a later
    /// resend proves that each earlier one was created.
    private static void findMissingResends(
            Optional<AuditedEvent> storedEvent,
            SortedMap<Integer, List<AuditedDelivery>> byOrdinal,
            List<InvariantViolation> findings) {
        int last = byOrdinal.isEmpty() ? 0 : byOrdinal.lastKey();
        for (int ordinal = DeliveryId.MIN_RESEND_ORDINAL;
                storedEvent.isPresent() && ordinal < last;
                ordinal++) {
            if (!byOrdinal.containsKey(ordinal)) {
                findings.add(
                        new InvariantViolation(
                                Invariant.LOST,
                                DeliveryId.of(storedEvent.get().event(), ordinal)
                                        + " is in neither work nor history, but a later"
                                        + " resend is"));
            }
        }
    }

    private static void findViolations(
            Optional<AuditedEvent> storedEvent,
            int ordinal,
            List<AuditedDelivery> same,
            List<InvariantViolation> findings) {
        String name = same.getFirst().delivery + " is in " + tableNames(same);
        if (storedEvent.isEmpty()) {
            findings.add(
                    new InvariantViolation(
                            Invariant.ORPHAN, name + ", but its event is not stored"));
            return;
        }
        var event = storedEvent.get();
        if (same.size() > 1) {
            findings.add(new InvariantViolation(Invariant.TWICE, name));
        } else if (!same.getFirst().source.equals(event.source)) {
            findings.add(
                    new InvariantViolation(
                            Invariant.ORPHAN,
                            name
                                    + " under source "
                                    + same.getFirst().source
                                    + ", but its event is under "
                                    + event.source));
        } else if (ordinal < DeliveryId.MIN_RESEND_ORDINAL && ordinal > event.fanout) {
            findings.add(
                    new InvariantViolation(
                            Invariant.ORPHAN,
                            name + ", but its event made only " + event.fanout + " deliveries"));
        } else if (ordinal < DeliveryId.MIN_RESEND_ORDINAL && ordinal > event.expectedRows()) {
            findings.add(new InvariantViolation(Invariant.TWICE, name + " but was filtered"));
        }
    }

    /// Returns the names of the tables as a phrase that completes "is in", such as "work and in
    /// history". A table that has two of the rows is named twice.
    private static String tableNames(List<AuditedDelivery> rows) {
        return rows.stream()
                .map(row -> row.table == DeliveryTable.WORK ? "work" : "history")
                .sorted(Comparator.reverseOrder())
                .collect(Collectors.joining(" and in "));
    }
}
