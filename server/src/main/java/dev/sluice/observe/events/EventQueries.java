package dev.sluice.observe.events;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.sums.Timeline;
import dev.sluice.observe.sums.Window;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Verification;
import dev.sluice.relay.VerificationReason;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads events. Each statement names the sources, which are the workspace's own and not trashed.
final class EventQueries {

    /// How many of an event's deliveries stand where.
    record Counts(int filtered, int delivered, int failed, int pending) {
        static final Counts NONE = new Counts(0, 0, 0, 0);

        int all() {
            return filtered + delivered + failed + pending;
        }
    }

    private EventQueries() {}

    static List<SourceId> sources(Tx tx, WorkspaceId workspace) {
        return tx.query(
                "select id from source where workspace_id = ? and trashed_at is null",
                row -> new SourceId(row.uuid("id")),
                workspace.value());
    }

    /// How many of these events there are. Skipped ones among others stand in no index of their
    /// own: they are all but the others, which is quicker than to look at each row.
    static long count(Tx tx, List<Window> windows, Optional<Verification> verification) {
        if (windows.isEmpty()) {
            return 0;
        }
        String condition = condition(windows, verification);
        return verification.equals(Optional.of(Verification.SKIPPED)) && !condition.isEmpty()
                ? count(tx, windows, "")
                        - count(tx, windows, condition(Verification.VERIFIED))
                        - count(tx, windows, condition(Verification.FAILED))
                : count(tx, windows, condition);
    }

    private static long count(Tx tx, List<Window> windows, String condition) {
        return tx.single(
                """
                select coalesce(sum(n), 0) as n
                  from unnest(?, ?, ?) as span (source_id, low, high),
                       lateral (select count(*) as n
                                  from event
                                 where event.source_id = span.source_id and event.id >= span.low
                                   and event.id < span.high
                """
                        + condition
                        + ") as counted",
                row -> row.number("n"),
                windows.stream().map(Window::source).toList(),
                windows.stream().map(window -> window.ids().low()).toList(),
                windows.stream().map(window -> window.ids().high()).toList());
    }

    /// The events at this place, newest first; only their ids, which stand in the index.
    static List<EventKey> keys(Tx tx, Timeline.Place place, Optional<Verification> verification) {
        return place.windows().isEmpty()
                ? List.of()
                : keys(tx, keysAt(place, verification), place, List.of());
    }

    /// Those of the events at this place whose ids have this text in them, newest first.
    static List<EventKey> matches(
            Tx tx, Timeline.Place place, Optional<Verification> verification, IdText.Within text) {
        if (place.windows().isEmpty()) {
            return List.of();
        }
        String sql =
                "select id, source_id from ("
                        + keysAt(place, verification)
                        + ") as page where translate(id::text, ?, '') like ? order by id desc";
        String leftOut = text.isDashed() ? "" : "-";
        return keys(tx, sql, place, List.of(leftOut, "%" + text.text() + "%"));
    }

    private static String keysAt(Timeline.Place place, Optional<Verification> verification) {
        return """
        select found.id, found.source_id
          from unnest(?, ?, ?) as span (source_id, low, high),
               lateral (select event.id, event.source_id
                          from event
                         where event.source_id = span.source_id and event.id >= span.low
                           and event.id < span.high
        """
                + condition(place.windows(), verification)
                + """
                              order by event.id desc
                              limit ?) as found
                      order by found.id desc
                     offset ? limit ?
                """;
    }

    private static List<EventKey> keys(Tx tx, String sql, Timeline.Place place, List<String> more) {
        var windows = place.windows();
        var arguments =
                new ArrayList<Object>(
                        List.of(
                                windows.stream().map(Window::source).toList(),
                                windows.stream().map(window -> window.ids().low()).toList(),
                                windows.stream().map(window -> window.ids().high()).toList(),
                                place.offset() + place.limit(),
                                place.offset(),
                                place.limit()));
        arguments.addAll(more);
        return tx.query(
                sql,
                row -> new EventKey(row.uuid("source_id"), row.uuid("id")),
                arguments.toArray());
    }

    /// Names an event by what its row is found by.
    record EventKey(UUID source, UUID id) {}

    /// What the events must be, where not all of them are so anyway.
    private static String condition(List<Window> windows, Optional<Verification> verification) {
        return windows.stream().allMatch(Window::isPure)
                ? ""
                : verification.map(EventQueries::condition).orElse("");
    }

    /// Written out, not handed in, because only so PostgreSQL knows which index serves it.
    private static String condition(Verification verification) {
        return switch (verification) {
            case VERIFIED -> " and event.verification = 1 ";
            case FAILED -> " and event.verification = 2 ";
            case SKIPPED -> " and event.verification = 3 ";
        };
    }

    /// In the order of their keys.
    static List<EventSummary> summaries(Tx tx, List<EventKey> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        return tx.query(
                """
                select event.*
                  from unnest(?, ?) with ordinality as wanted (source_id, id, place),
                       lateral (select id, source_id, method, content_type, verification, verification_reason,
                                       body_size, coalesce(cardinality(filtered), 0) as filtered
                                  from event
                                 where event.source_id = wanted.source_id and event.id = wanted.id
                                offset 0) as event
                 order by place
                """,
                EventQueries::summary,
                keys.stream().map(EventKey::source).toList(),
                keys.stream().map(EventKey::id).toList());
    }

    /// The counts of each of these events, from their ranges of delivery ids.
    static Map<EventId, Counts> counts(Tx tx, List<EventSummary> events) {
        var counts = new HashMap<EventId, Counts>();
        tx.query(
                        """
                        select wanted.id, finished.delivered, finished.failed,
                               (select count(*)
                                  from delivery_work as work
                                 where work.id > wanted.id and work.id <= wanted.last
                                   and work.source_id = wanted.source_id) as pending
                          from unnest(?, ?, ?) as wanted (id, last, source_id),
                               lateral (select count(*) filter (where status = 3) as delivered,
                                               count(*) filter (where status in (4, 5)) as failed
                                          from delivery
                                         where delivery.id > wanted.id and delivery.id <= wanted.last
                                           and delivery.source_id = wanted.source_id) as finished
                        """,
                        row ->
                                Map.entry(
                                        new EventId(row.uuid("id")),
                                        new Counts(
                                                0,
                                                row.integer("delivered"),
                                                row.integer("failed"),
                                                row.integer("pending"))),
                        events.stream().map(event -> event.id().value()).toList(),
                        events.stream().map(event -> DeliveryId.lastOf(event.id())).toList(),
                        events.stream().map(event -> event.source().value()).toList())
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    static Optional<EventSummary> summary(Tx tx, List<SourceId> sources, UUID id) {
        return tx.one(
                """
                select id, source_id, method, content_type, verification, verification_reason, body_size,
                       coalesce(cardinality(filtered), 0) as filtered
                  from event
                 where id = ? and source_id = any (?)
                """,
                EventQueries::summary,
                id,
                sources.stream().map(SourceId::value).toList());
    }

    /// One event with what came in.
    record Found(EventSummary summary, Payload payload, List<ConnectionId> filtered) {}

    static Optional<Found> find(Tx tx, List<SourceId> sources, EventId id) {
        return tx.one(
                """
                select id, source_id, method, content_type, verification, verification_reason, body_size, fanout,
                       coalesce(cardinality(filtered), 0) as filtered, filtered as filtered_ids, headers, body
                  from event
                 where id = ? and source_id = any (?)
                """,
                row ->
                        new Found(
                                summary(row),
                                Payload.stored(row.bytes("headers"), row.bytes("body")),
                                row.uuids("filtered_ids").stream().map(ConnectionId::new).toList()),
                id.value(),
                sources.stream().map(SourceId::value).toList());
    }

    private static EventSummary summary(Row row) throws SQLException {
        return new EventSummary(
                new EventId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                row.text("method"),
                row.textOrNone("content_type"),
                new Checked(
                        Verification.numbered(row.integer("verification")),
                        row.integerOrNone("verification_reason").map(VerificationReason::numbered)),
                row.integer("body_size"),
                row.integer("filtered"));
    }
}
