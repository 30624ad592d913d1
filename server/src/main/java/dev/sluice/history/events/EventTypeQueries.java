package dev.sluice.history.events;

import dev.sluice.engine.EventId;
import dev.sluice.platform.db.Tx;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads the types that senders give to their events; see [EventType].
public final class EventTypeQueries {

    private EventTypeQueries() {}

    /// Returns the type of each of these events. Reads only the beginnings of the headers and the
    /// body. Omits events that have no type.
    public static Map<EventId, String> of(Tx tx, List<EventSummary> events) {
        var types = new HashMap<EventId, String>();
        tx.query(
                        """
                        select event.*
                          from unnest(?, ?) as wanted (source_id, id),
                               lateral (select id, substring(headers from 1 for ?) as headers,
                                               substring(body from 1 for ?) as body
                                          from event
                                         where event.source_id = wanted.source_id and event.id = wanted.id
                                        offset 0) as event
                        """,
                        row ->
                                Map.entry(
                                        new EventId(row.uuid("id")),
                                        EventType.of(row.bytes("headers"), row.bytes("body"))),
                        events.stream().map(event -> event.source().value()).toList(),
                        events.stream().map(event -> event.id().value()).toList(),
                        EventType.MAX_HEADER_BYTES,
                        EventType.MAX_BODY_BYTES)
                .forEach(entry ->
                        entry.getValue().ifPresent(type -> types.put(entry.getKey(), type)));
        return types;
    }
}
