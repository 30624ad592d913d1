package dev.sluice.features.recovery;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// One page of candidate events for a selection, oldest first. Whether an event is included is
/// decided later, from the state of its deliveries. A page is small enough to be read in one
/// transaction.
///
/// @param next the position after which the next page begins; empty on the last page
public record SelectionPage(List<EventId> events, Optional<UUID> next) {

    /// A failed or exhausted delivery from the selection's source.
    ///
    /// @param isSelected whether the delivery satisfies the selection's condition
    record DeadLetterRow(DeliveryId id, UUID connection, int status, boolean isSelected) {}

    /// Builds a page from rows of dead letters.
    ///
    /// @param incomplete the event, if any, that may have more rows than were read; this page does
    ///   not include it
    static SelectionPage of(
            ResendSelection selection,
            List<DeadLetterRow> rows,
            Optional<EventId> incomplete,
            int maxEvents) {
        Set<EventId> events = new LinkedHashSet<>();
        Optional<EventId> last = Optional.empty();
        for (var row : rows) {
            var event = Optional.of(row.id().event());
            boolean isNew = !event.equals(last);
            if (isNew && (event.equals(incomplete) || events.size() == maxEvents)) {
                return new SelectionPage(List.copyOf(events), last.map(DeliveryId::maxIdOf));
            }
            last = event;
            if (row.isSelected()
                    && row.connection().equals(selection.connection().value())
                    && selection.statuses().contains(DeliveryStatus.fromNumber(row.status()))) {
                events.add(event.get());
            }
        }
        return new SelectionPage(List.copyOf(events), Optional.empty());
    }
}
