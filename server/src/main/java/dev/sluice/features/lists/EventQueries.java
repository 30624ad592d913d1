package dev.sluice.features.lists;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.DeliveryStatusSql;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.history.EventIdPattern;
import dev.sluice.history.counts.ListPager.ScanStep;
import dev.sluice.history.counts.PageLocator;
import dev.sluice.history.counts.SourceWindow;
import dev.sluice.history.events.EventSummary;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.JsonObject;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads events. The sources passed to the methods must belong to the client's workspace and must
/// not be in the trash.
final class EventQueries {

    /// How many of an event's deliveries are in each state. Only deliveries that have a row are
    /// counted.
    ///
    /// @param failed the number of failed and exhausted deliveries
    record EventDeliveryCounts(int filtered, int delivered, int failed, int pending) {
        static final EventDeliveryCounts ZERO = new EventDeliveryCounts(0, 0, 0, 0);

        /// Returns the item of a list that shows the event.
        ///
        /// @param type the kind of event as its sender names it
        JsonObject json(EventSummary event, Optional<String> type) {
            int unfiltered = filtered + delivered + failed + pending;
            return event.json()
                    .put("event_type", type)
                    .put("delivery_count", unfiltered + event.filtered())
                    .put("delivered_count", delivered)
                    .put("failed_count", failed)
                    .put("pending_count", pending);
        }
    }

    private EventQueries() {}

    static List<SourceId> sources(Tx tx, WorkspaceId workspace) {
        return tx.query(
                "select id from source where workspace_id = ? and trashed_at is null",
                row -> new SourceId(row.uuid("id")),
                workspace.value());
    }

    /// Counts the events in these windows that have the given verification status, or all events if
    /// none is given. No index covers events with the status `skipped`. In windows that also
    /// contain other events, skipped events are therefore counted by subtracting the others from
    /// all events. This is faster than reading each row.
    static long count(
            Tx tx, List<SourceWindow> windows, Optional<VerificationStatus> verification) {
        if (windows.isEmpty()) {
            return 0;
        }
        String condition = verificationCondition(windows, verification);
        return verification.equals(Optional.of(VerificationStatus.SKIPPED)) && !condition.isEmpty()
                ? count(tx, windows, "")
                        - count(tx, windows, verificationCondition(VerificationStatus.VERIFIED))
                        - count(tx, windows, verificationCondition(VerificationStatus.FAILED))
                : count(tx, windows, condition);
    }

    private static long count(Tx tx, List<SourceWindow> windows, String condition) {
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
                windows.stream().map(SourceWindow::source).toList(),
                windows.stream().map(window -> window.ids().low()).toList(),
                windows.stream().map(window -> window.ids().high()).toList());
    }

    /// Returns the keys of the events on this page, newest first.
    static List<EventKey> keys(
            Tx tx, PageLocator.PageLocation location, Optional<VerificationStatus> verification) {
        return location.windows().isEmpty()
                ? List.of()
                : tx.query(
                        keysSql(location, verification),
                        row -> new EventKey(row.uuid("source_id"), row.uuid("id")),
                        pageArguments(location).toArray());
    }

    /// Returns the keys of the events at this location whose ids contain the text, newest first,
    /// and the id of the last scanned event.
    static ScanStep<EventKey> scan(
            Tx tx,
            PageLocator.PageLocation location,
            Optional<VerificationStatus> verification,
            EventIdPattern.IdSubstring substring) {
        if (location.windows().isEmpty()) {
            return new ScanStep<>(List.of(), Optional.empty());
        }
        var arguments = pageArguments(location);
        String sql =
                "with page as materialized ("
                        + keysSql(location, verification)
                        + ") select id, source_id, false as is_last from page where"
                        + " translate(id::text, ?, '') like ? union all (select id, source_id, true"
                        + " from page order by id desc offset ? limit 1) order by is_last, id desc";
        arguments.add(substring.isHyphenated() ? "" : "-");
        arguments.add("%" + substring.text() + "%");
        arguments.add(location.limit() - 1);
        var matches = new ArrayList<EventKey>();
        var last = new ArrayList<UUID>();
        tx.query(
                sql,
                row -> {
                    if (row.bool("is_last")) {
                        last.add(row.uuid("id"));
                    } else {
                        matches.add(new EventKey(row.uuid("source_id"), row.uuid("id")));
                    }
                    return true;
                },
                arguments.toArray());
        return new ScanStep<>(matches, last.stream().findFirst());
    }

    /// Returns the keys in `keys` whose events have this verification status, in the same order.
    static List<EventKey> withVerification(
            Tx tx, List<EventKey> keys, VerificationStatus verification) {
        return keys.isEmpty()
                ? List.of()
                : tx.query(
                        """
                        select event.id, event.source_id
                          from unnest(?, ?) with ordinality as wanted (source_id, id, place),
                               lateral (select id, source_id, verification
                                          from event
                                         where event.source_id = wanted.source_id and event.id = wanted.id
                                        offset 0) as event
                         where event.verification = ?
                         order by place
                        """,
                        row -> new EventKey(row.uuid("source_id"), row.uuid("id")),
                        keys.stream().map(EventKey::source).toList(),
                        keys.stream().map(EventKey::id).toList(),
                        (int) verification.number());
    }

    private static String keysSql(
            PageLocator.PageLocation location, Optional<VerificationStatus> verification) {
        return """
        select found.id, found.source_id
          from unnest(?, ?, ?) as span (source_id, low, high),
               lateral (select event.id, event.source_id
                          from event
                         where event.source_id = span.source_id and event.id >= span.low
                           and event.id < span.high
        """
                + verificationCondition(location.windows(), verification)
                + """
                              order by event.id desc
                              limit ?) as found
                      order by found.id desc
                     offset ? limit ?
                """;
    }

    private static List<Object> pageArguments(PageLocator.PageLocation location) {
        var windows = location.windows();
        return new ArrayList<>(
                List.of(
                        windows.stream().map(SourceWindow::source).toList(),
                        windows.stream().map(window -> window.ids().low()).toList(),
                        windows.stream().map(window -> window.ids().high()).toList(),
                        location.offset() + location.limit(),
                        location.offset(),
                        location.limit()));
    }

    /// The key of an event's row.
    record EventKey(UUID source, UUID id) {}

    /// Returns the SQL condition on the verification status. The condition is empty if all rows in
    /// the windows are known to match, or if `verification` is empty.
    private static String verificationCondition(
            List<SourceWindow> windows, Optional<VerificationStatus> verification) {
        return windows.stream().allMatch(SourceWindow::hasOnlyWanted)
                ? ""
                : verification.map(EventQueries::verificationCondition).orElse("");
    }

    /// Returns the SQL condition for one status. The status number is a literal rather than a
    /// parameter because PostgreSQL uses the partial index only if it knows the number when it
    /// plans the query.
    private static String verificationCondition(VerificationStatus verification) {
        return " and event.verification = " + verification.number() + " ";
    }

    /// Returns the events with these keys, in the same order.
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
                EventSummary::read,
                keys.stream().map(EventKey::source).toList(),
                keys.stream().map(EventKey::id).toList());
    }

    /// Returns the delivery counts for each event. The ids of an event's deliveries follow the
    /// event's id, so the query selects the deliveries by id range.
    static Map<EventId, EventDeliveryCounts> counts(Tx tx, List<EventSummary> events) {
        var counts = new HashMap<EventId, EventDeliveryCounts>();
        tx.query(
                        """
                        select wanted.id, finished.delivered, finished.failed, finished.filtered,
                               (select count(*)
                                  from delivery_work as work
                                 where work.id > wanted.id and work.id <= wanted.last
                                   and work.source_id = wanted.source_id) as pending
                          from unnest(?, ?, ?) as wanted (id, last, source_id),
                               lateral (select count(*) filter (where %s) as delivered,
                                               count(*) filter (where %s) as failed,
                                               count(*) filter (where %s) as filtered
                                          from delivery
                                         where delivery.id > wanted.id and delivery.id <= wanted.last
                                           and delivery.source_id = wanted.source_id) as finished
                        """
                                .formatted(
                                        DeliveryStatusSql.in(
                                                "status", List.of(DeliveryStatus.SUCCEEDED)),
                                        DeliveryStatusSql.in(
                                                "status", DeliveryStatusSql.DEAD_STATUSES),
                                        DeliveryStatusSql.in(
                                                "status", List.of(DeliveryStatus.FILTERED))),
                        row ->
                                Map.entry(
                                        new EventId(row.uuid("id")),
                                        new EventDeliveryCounts(
                                                row.integer("filtered"),
                                                row.integer("delivered"),
                                                row.integer("failed"),
                                                row.integer("pending"))),
                        events.stream().map(event -> event.id().value()).toList(),
                        events.stream().map(event -> DeliveryId.maxIdOf(event.id())).toList(),
                        events.stream().map(event -> event.source().value()).toList())
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    static Optional<EventSummary> summary(Tx tx, List<SourceId> sources, UUID id) {
        return tx.findOne(
                """
                select id, source_id, method, content_type, verification, verification_reason, body_size,
                       coalesce(cardinality(filtered), 0) as filtered
                  from event
                 where id = ? and source_id = any (?)
                """,
                EventSummary::read,
                id,
                sources.stream().map(SourceId::value).toList());
    }

    /// Returns whether the source has a delivery with this id. The delivery may be finished,
    /// unfinished, or filtered at ingest and thus without a row.
    static boolean hasDelivery(Tx tx, SourceId source, DeliveryId id) {
        return tx.single(
                """
                select exists (select from delivery where id = ? and source_id = ?)
                       or exists (select from delivery_work where id = ? and source_id = ?)
                       or exists (select from event where id = ? and source_id = ? and fanout >= ?)
                         as is_there
                """,
                row -> row.bool("is_there"),
                id.value(),
                source.value(),
                id.value(),
                source.value(),
                id.event().value(),
                source.value(),
                id.ordinal());
    }

    /// An event and the connections whose filters it did not match at ingest.
    record FoundEvent(EventSummary summary, List<ConnectionId> filtered) {}

    /// Finds an event without reading its payload, which may be damaged.
    static Optional<FoundEvent> find(Tx tx, List<SourceId> sources, EventId id) {
        return tx.findOne(
                """
                select id, source_id, method, content_type, verification, verification_reason, body_size,
                       coalesce(cardinality(filtered), 0) as filtered, filtered as filtered_ids
                  from event
                 where id = ? and source_id = any (?)
                """,
                row ->
                        new FoundEvent(
                                EventSummary.read(row),
                                row.uuids("filtered_ids").stream().map(ConnectionId::new).toList()),
                id.value(),
                sources.stream().map(SourceId::value).toList());
    }

    /// Reads the payload of an event, which must exist.
    static Payload payload(Tx tx, EventSummary event) {
        return tx.single(
                "select headers, body from event where id = ? and source_id = ?",
                row -> Payload.fromStored(row.bytes("headers"), row.bytes("body")),
                event.id().value(),
                event.source().value());
    }
}
