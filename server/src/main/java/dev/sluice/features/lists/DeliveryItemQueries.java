package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Trigger;
import dev.sluice.features.lists.DeliveryItem.ItemTimes;
import dev.sluice.features.lists.DeliveryItem.LastResult;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.history.DeliveryEnd;
import dev.sluice.history.DeliveryTarget;
import dev.sluice.history.StatusView;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/// Reads what a list shows about the deliveries on one page.
public record DeliveryItemQueries(Tx tx, DeliveryScope scope, WaitExplainer waits) {

    /// Returns the deliveries with these keys, in the same order.
    public List<DeliveryItem> of(List<DeliveryKey> keys) {
        Map<UUID, DeliveryItem> items = new HashMap<>();
        finished(keys.stream().filter(key -> key.hasRow() && !key.isUnfinished()).toList())
                .forEach(item -> items.put(item.id().value(), item));
        unfinished(keys.stream().filter(DeliveryKey::isUnfinished).toList())
                .forEach(item -> items.put(item.id().value(), item));
        return keys.stream()
                .map(key ->
                        key.hasRow()
                                ? Objects.requireNonNull(items.get(key.id()))
                                : filteredAtIngest(key))
                .toList();
    }

    private List<DeliveryItem> finished(List<DeliveryKey> keys) {
        return keys.isEmpty()
                ? List.of()
                : tx.query(
                        """
                        select delivery.*, connection.destination_id,
                               coalesce(revision.name, destination.name) as destination_name
                          from unnest(?, ?) as wanted (source_id, id),
                               lateral (select id, source_id, connection_id, status, trigger, attempts,
                                               revision, error_code, response_status, error_message,
                                               latency_ms, attempted_at, created_at, finished_at
                                          from delivery
                                         where delivery.source_id = wanted.source_id and delivery.id = wanted.id
                                        offset 0) as delivery
                          join connection on connection.id = delivery.connection_id
                          join destination on destination.id = connection.destination_id
                          left join destination_revision as revision on revision.id = delivery.revision
                        """,
                        DeliveryItemQueries::finished,
                        sources(keys),
                        ids(keys));
    }

    private static List<UUID> sources(List<DeliveryKey> keys) {
        return keys.stream().map(DeliveryKey::source).toList();
    }

    private static List<UUID> ids(List<DeliveryKey> keys) {
        return keys.stream().map(DeliveryKey::id).toList();
    }

    private static DeliveryItem finished(Row row) throws SQLException {
        var id = row.uuid("id");
        var end =
                new DeliveryEnd(
                        DeliveryStatus.fromNumber(row.integer("status")),
                        row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                        row.integerOrNone("response_status"),
                        row.textOrNone("error_message"),
                        !row.isNull("attempted_at"),
                        row.integer("attempts"));
        return new DeliveryItem(
                new DeliveryId(id),
                row.uuid("source_id"),
                target(row),
                StatusView.of(end.status(), end.reason()),
                Trigger.fromNumber(row.integer("trigger")),
                LastResult.of(end, row.integerOrNone("latency_ms")),
                new ItemTimes(
                        row.instantOrNone("created_at").orElse(Uuid7.timeOf(id)),
                        Optional.empty(),
                        Optional.of(row.instant("finished_at"))));
    }

    private static DeliveryTarget target(Row row) throws SQLException {
        return new DeliveryTarget(
                new ConnectionId(row.uuid("connection_id")),
                row.uuid("destination_id"),
                row.text("destination_name"));
    }

    private List<DeliveryItem> unfinished(List<DeliveryKey> keys) {
        return keys.isEmpty()
                ? List.of()
                : tx.query(
                        """
                        select last.error_code, last.response_status, last.error_message, last.latency_ms,
                        """
                                + WaitExplainer.COLUMNS_SQL
                                + """
                                  from unnest(?, ?) as wanted (source_id, id),
                                       lateral (select *
                                                  from delivery_work
                                                 where delivery_work.source_id = wanted.source_id
                                                   and delivery_work.id = wanted.id
                                                offset 0) as work
                                """
                                + WaitExplainer.JOINS_SQL
                                + """
                                  left join lateral (select error_code, response_status, error_message, latency_ms
                                                       from attempt
                                                      where attempt.source_id = work.source_id
                                                        and attempt.delivery_id = work.id
                                                      order by attempt.number desc
                                                      limit 1) as last on true
                                """,
                        this::unfinished,
                        sources(keys),
                        ids(keys));
    }

    private DeliveryItem unfinished(Row row) throws SQLException {
        var id = row.uuid("id");
        var last =
                new LastResult(
                        row.integer("attempts"),
                        row.textOrNone("error_message"),
                        row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                        row.integerOrNone("response_status"),
                        row.integerOrNone("latency_ms"));
        var wait = waits.explain(row, last.error());
        return new DeliveryItem(
                new DeliveryId(id),
                row.uuid("source_id"),
                target(row),
                wait.status(),
                Trigger.fromNumber(row.integer("trigger")),
                last,
                new ItemTimes(
                        row.instantOrNone("created_at").orElse(Uuid7.timeOf(id)),
                        wait.nextAttemptAt(),
                        Optional.empty()));
    }

    /// Returns a delivery that was filtered at ingest and therefore has no row. It ended when its
    /// event was received.
    private DeliveryItem filteredAtIngest(DeliveryKey key) {
        var connection = scope.target(key.connection());
        var receivedAt = Uuid7.timeOf(key.id());
        return new DeliveryItem(
                new DeliveryId(key.id()),
                key.source(),
                new DeliveryTarget(
                        connection.connection(),
                        connection.destination().value(),
                        connection.destinationName()),
                StatusView.of(DeliveryStatus.FILTERED, DeliveryEnd.FILTERED.reason()),
                Trigger.INGEST,
                LastResult.NONE,
                new ItemTimes(receivedAt, Optional.empty(), Optional.of(receivedAt)));
    }
}
