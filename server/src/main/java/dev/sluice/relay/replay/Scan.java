package dev.sluice.relay.replay;

import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// A stretch of events that a selection may be about, oldest first; short enough for one
/// transaction, however many there are in all.
///
/// @param next the position after it; empty at the end
record Scan(List<EventId> events, Optional<UUID> next) {

    /// Rows of dead letters read at once, of all connections of the source. An event has fewer, so
    /// a stretch is never cut within its only event.
    private static final int ROWS = 5_000;

    private record Dead(DeliveryId id, UUID connection, int status) {}

    /// @param most events at once
    static Scan read(Tx tx, Selection selection, int most) {
        return selection.isOfSucceeded() ? events(tx, selection, most) : dead(tx, selection, most);
    }

    /// Failed and exhausted deliveries stand in an index of their own. Those of other connections
    /// are read along with them and left out.
    private static Scan dead(Tx tx, Selection selection, int most) {
        int limit = Math.max(ROWS, most);
        var rows =
                tx.query(
                        """
                        select id, connection_id, status
                          from delivery
                         where source_id = ? and id > ? and id <= ? and status in (4, 5)
                         order by id
                         limit ?
                        """,
                        row ->
                                new Dead(
                                        new DeliveryId(row.uuid("id")),
                                        row.uuid("connection_id"),
                                        row.integer("status")),
                        selection.source().value(),
                        selection.after(),
                        selection.to(),
                        limit);
        return rows.size() < limit
                ? cut(selection, rows, Optional.empty(), most)
                : cut(selection, rows, Optional.of(rows.getLast().id().event()), most);
    }

    /// @param unfinished an event of which there may be more rows: it begins the next stretch
    private static Scan cut(
            Selection selection, List<Dead> rows, Optional<EventId> unfinished, int most) {
        Set<EventId> events = new LinkedHashSet<>();
        Optional<EventId> last = Optional.empty();
        for (var row : rows) {
            var event = Optional.of(row.id().event());
            boolean isNew = !event.equals(last);
            if (isNew && (event.equals(unfinished) || events.size() == most)) {
                return new Scan(List.copyOf(events), last.map(DeliveryId::lastOf));
            }
            last = event;
            if (row.connection().equals(selection.connection().value())
                    && selection.statuses().contains(DeliveryStatus.numbered(row.status()))) {
                events.add(event.get());
            }
        }
        return new Scan(List.copyOf(events), Optional.empty());
    }

    /// What succeeded stands in no index of its own, so every event of the source is looked at.
    private static Scan events(Tx tx, Selection selection, int most) {
        var events =
                tx.query(
                        """
                        select id
                          from event
                         where source_id = ? and id > ? and id <= ?
                         order by id
                         limit ?
                        """,
                        row -> new EventId(row.uuid("id")),
                        selection.source().value(),
                        selection.after(),
                        selection.to(),
                        most);
        return new Scan(
                new ArrayList<>(events),
                events.size() < most
                        ? Optional.empty()
                        : Optional.of(DeliveryId.lastOf(events.getLast())));
    }

    /// The greatest id that a delivery of what is stored of the source can have by now; empty when
    /// nothing is.
    static Optional<UUID> end(Tx tx, UUID source) {
        return tx
                .query(
                        "select id from event where source_id = ? order by id desc limit 1",
                        row -> DeliveryId.lastOf(new EventId(row.uuid("id"))),
                        source)
                .stream()
                .findFirst();
    }
}
