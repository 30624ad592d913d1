package dev.sluice.history.events;

import dev.sluice.engine.EventId;
import dev.sluice.engine.PayloadDecoder;
import dev.sluice.engine.StoredPayload;
import dev.sluice.engine.UnreadablePayloadException;
import dev.sluice.platform.db.Tx;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the types that senders give to their events; see [EventType].
public final class EventTypeQueries {

    private EventTypeQueries() {}

    /// Returns the type of each of these events. Reads only the beginnings of the headers and the
    /// body. Omits events that have no type and events whose payload is damaged.
    public static Map<EventId, String> of(
            Tx tx, PayloadDecoder decoder, List<EventSummary> events) {
        var types = new HashMap<EventId, String>();
        tx.query(
                        """
                        select event.*
                          from unnest(?, ?) as wanted (source_id, id),
                               lateral (select id, encoding, substring(headers from 1 for ?) as headers,
                                               substring(body from 1 for case when encoding is null then ?
                                                                              else ? end) as body
                                          from event
                                         where event.source_id = wanted.source_id and event.id = wanted.id
                                        offset 0) as event
                        """,
                        row ->
                                Map.entry(
                                        new EventId(row.uuid("id")),
                                        type(
                                                decoder,
                                                StoredPayload.of(
                                                        row.integerOrNone("encoding"),
                                                        row.bytes("headers"),
                                                        row.bytes("body")))),
                        events.stream().map(event -> event.source().value()).toList(),
                        events.stream().map(event -> event.id().value()).toList(),
                        EventType.MAX_HEADER_BYTES,
                        EventType.MAX_BODY_BYTES,
                        PayloadDecoder.BEGINNING_BYTES)
                .forEach(entry ->
                        entry.getValue().ifPresent(type -> types.put(entry.getKey(), type)));
        return types;
    }

    private static Optional<String> type(PayloadDecoder decoder, StoredPayload stored) {
        try {
            var beginning =
                    decoder.beginning(stored, EventType.MAX_HEADER_BYTES, EventType.MAX_BODY_BYTES);
            return EventType.of(beginning.headerLines(), beginning.body());
        } catch (UnreadablePayloadException e) {
            return Optional.empty(); // the damage is reported when a client requests the event
        }
    }
}
