package dev.sluice.observe.audit;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/// A row of a delivery.
///
/// @param source which the row names
record Standing(DeliveryId delivery, UUID source, Place place) {

    enum Place {
        WORK,
        HISTORY
    }

    /// What an event says of its deliveries. Those decided at ingest have the ordinals 1 to
    /// `fanout`, and the last `filtered` of them have no row.
    record Made(EventId event, UUID source, int fanout, int filtered) {

        int owed() {
            return fanout - filtered;
        }
    }

    /// What is wrong with one event's deliveries.
    ///
    /// @param made empty when the event is not stored
    /// @param rows all that stand in its range of ids, whatever source they name
    static List<Finding> judge(Optional<Made> made, List<Standing> rows) {
        var findings = new ArrayList<Finding>();
        SortedMap<Integer, List<Standing>> byOrdinal = new TreeMap<>();
        for (var row : rows) {
            byOrdinal.computeIfAbsent(row.delivery.ordinal(), _ -> new ArrayList<>()).add(row);
        }
        for (int ordinal = 1; ordinal <= made.map(Made::owed).orElse(0); ordinal++) {
            if (!byOrdinal.containsKey(ordinal)) {
                findings.add(
                        new Finding(
                                Invariant.LOST,
                                DeliveryId.of(made.orElseThrow().event(), ordinal)
                                        + " stands neither in work nor in history"));
            }
        }
        judgeResends(made, byOrdinal, findings);
        byOrdinal.forEach((ordinal, same) -> judge(made, ordinal, same, findings));
        return findings;
    }

    /// Their ordinals are given out without a gap, so one that has a later one was made.
    private static void judgeResends(
            Optional<Made> made,
            SortedMap<Integer, List<Standing>> byOrdinal,
            List<Finding> findings) {
        int last = byOrdinal.isEmpty() ? 0 : byOrdinal.lastKey();
        for (int ordinal = DeliveryId.FIRST_RESEND; made.isPresent() && ordinal < last; ordinal++) {
            if (!byOrdinal.containsKey(ordinal)) {
                findings.add(
                        new Finding(
                                Invariant.LOST,
                                DeliveryId.of(made.get().event(), ordinal)
                                        + " stands neither in work nor in history, and a later"
                                        + " resend does"));
            }
        }
    }

    private static void judge(
            Optional<Made> made, int ordinal, List<Standing> same, List<Finding> findings) {
        String name = same.getFirst().delivery + " stands in " + places(same);
        if (made.isEmpty()) {
            findings.add(new Finding(Invariant.ORPHAN, name + ", and its event is not stored"));
            return;
        }
        var event = made.get();
        if (same.size() > 1) {
            findings.add(new Finding(Invariant.TWICE, name));
        } else if (!same.getFirst().source.equals(event.source)) {
            findings.add(
                    new Finding(
                            Invariant.ORPHAN,
                            name
                                    + " under source "
                                    + same.getFirst().source
                                    + ", and its event under "
                                    + event.source));
        } else if (ordinal < DeliveryId.FIRST_RESEND && ordinal > event.fanout) {
            findings.add(
                    new Finding(
                            Invariant.ORPHAN,
                            name + ", and its event made only " + event.fanout + " deliveries"));
        } else if (ordinal < DeliveryId.FIRST_RESEND && ordinal > event.owed()) {
            findings.add(new Finding(Invariant.TWICE, name + " and was filtered"));
        }
    }

    /// Such as "work and in history" or "history and in history".
    private static String places(List<Standing> rows) {
        return rows.stream()
                .map(row -> row.place == Place.WORK ? "work" : "history")
                .sorted(Comparator.reverseOrder())
                .collect(Collectors.joining(" and in "));
    }
}
