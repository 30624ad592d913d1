package dev.sluice.observe.events;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.DeliveryStatusSql;
import dev.sluice.observe.usage.PageLocator;
import dev.sluice.observe.usage.SourceWindow;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.EventVerification;
import dev.sluice.relay.Payload;
import dev.sluice.relay.VerificationReason;
import dev.sluice.relay.VerificationStatus;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads events. Each statement names the sources, all of which belong to the workspace and are not
/// in the trash.
final class EventQueries {

    /// The numbers of an event's deliveries in each state.
    record EventDeliveryCounts(int filtered, int delivered, int failed, int pending) {
        static final EventDeliveryCounts ZERO = new EventDeliveryCounts(0, 0, 0, 0);

        int total() {
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

    /// Counts events. No index covers skipped events. In windows that also contain other events,
    /// skipped events are counted as all events minus the others, which is faster than reading each
    /// row.
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

    /// Returns the keys of the events on this page, newest first. The query reads only the index.
    static List<EventKey> keys(
            Tx tx, PageLocator.PageLocation location, Optional<VerificationStatus> verification) {
        return location.windows().isEmpty()
                ? List.of()
                : keys(tx, keysSql(location, verification), location, List.of());
    }

    /// Returns the keys of the events at this location whose ids contain the text, newest first.
    static List<EventKey> matches(
            Tx tx,
            PageLocator.PageLocation location,
            Optional<VerificationStatus> verification,
            EventIdPattern.IdSubstring substring) {
        if (location.windows().isEmpty()) {
            return List.of();
        }
        String sql =
                "select id, source_id from ("
                        + keysSql(location, verification)
                        + ") as page where translate(id::text, ?, '') like ? order by id desc";
        String leftOut = substring.isHyphenated() ? "" : "-";
        return keys(tx, sql, location, List.of(leftOut, "%" + substring.text() + "%"));
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

    private static List<EventKey> keys(
            Tx tx, String sql, PageLocator.PageLocation location, List<String> more) {
        var windows = location.windows();
        var arguments =
                new ArrayList<Object>(
                        List.of(
                                windows.stream().map(SourceWindow::source).toList(),
                                windows.stream().map(window -> window.ids().low()).toList(),
                                windows.stream().map(window -> window.ids().high()).toList(),
                                location.offset() + location.limit(),
                                location.offset(),
                                location.limit()));
        arguments.addAll(more);
        return tx.query(
                sql,
                row -> new EventKey(row.uuid("source_id"), row.uuid("id")),
                arguments.toArray());
    }

    /// The key of an event's row.
    record EventKey(UUID source, UUID id) {}

    /// Returns the SQL condition on the verification status. It is empty if all rows in the windows
    /// are known to match.
    private static String verificationCondition(
            List<SourceWindow> windows, Optional<VerificationStatus> verification) {
        return windows.stream().allMatch(SourceWindow::hasOnlyWanted)
                ? ""
                : verification.map(EventQueries::verificationCondition).orElse("");
    }

    /// Returns the SQL condition for one status. The number in it is a literal, not a parameter,
    /// because PostgreSQL uses the partial index only if it sees the number while planning the
    /// query.
    private static String verificationCondition(VerificationStatus verification) {
        return " and event.verification = " + verification.number() + " ";
    }

    /// Returns the events with these keys, in the order of the keys.
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

    /// Returns the delivery counts of each event. The ids of an event's deliveries form a range.
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
                EventQueries::summary,
                id,
                sources.stream().map(SourceId::value).toList());
    }

    /// Whether the source's event has such a delivery: one that ended, one that did not, or one
    /// that was filtered at ingest and has no row.
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

    /// An event with its payload and those connections whose filters it did not match.
    record EventWithPayload(EventSummary summary, Payload payload, List<ConnectionId> filtered) {}

    static Optional<EventWithPayload> find(Tx tx, List<SourceId> sources, EventId id) {
        return tx.findOne(
                """
                select id, source_id, method, content_type, verification, verification_reason, body_size, fanout,
                       coalesce(cardinality(filtered), 0) as filtered, filtered as filtered_ids, headers, body
                  from event
                 where id = ? and source_id = any (?)
                """,
                row ->
                        new EventWithPayload(
                                summary(row),
                                Payload.fromStored(row.bytes("headers"), row.bytes("body")),
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
                new EventVerification(
                        VerificationStatus.fromNumber(row.integer("verification")),
                        row.integerOrNone("verification_reason")
                                .map(VerificationReason::fromNumber)),
                row.integer("body_size"),
                row.integer("filtered"));
    }
}
