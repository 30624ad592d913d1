package dev.sluice.observe.deadletters;

import dev.sluice.observe.Ending;
import dev.sluice.observe.Unfinished;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.UnderWay;

import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// Reads what a page shows of its deliveries.
final class DeadLetters {

    private final Tx tx;
    private final Scope scope;
    private final UnderWay underWay;
    private final Instant now;

    DeadLetters(Tx tx, Scope scope, UnderWay underWay, Instant now) {
        this.tx = tx;
        this.scope = scope;
        this.underWay = underWay;
        this.now = now;
    }

    /// In the order of their keys.
    List<DeadLetter> of(List<Rows.Key> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        var latest = latest(keys);
        var finished = finished(keys, latest);
        return keys.stream()
                .map(key ->
                        key.status() == DeliveryStatus.FILTERED
                                ? filtered(key, latest)
                                : Objects.requireNonNull(finished.get(key.id())))
                .toList();
    }

    private Map<UUID, DeadLetter> finished(List<Rows.Key> keys, Map<UUID, DeliveryStatus> latest) {
        return tx
                .query(
                        """
                        select delivery.*, connection.destination_id,
                               coalesce(revision.name, destination.name) as destination_name
                          from unnest(?, ?) as wanted (source_id, id),
                               lateral (select *
                                          from delivery
                                         where delivery.source_id = wanted.source_id and delivery.id = wanted.id
                                        offset 0) as delivery
                          join connection on connection.id = delivery.connection_id
                          join destination on destination.id = connection.destination_id
                          left join destination_revision as revision on revision.id = delivery.revision
                        """,
                        row -> finished(row, latest),
                        keys.stream().map(Rows.Key::source).toList(),
                        keys.stream().map(Rows.Key::id).toList())
                .stream()
                .collect(Collectors.toMap(letter -> letter.id().value(), letter -> letter));
    }

    private static DeadLetter finished(Row row, Map<UUID, DeliveryStatus> latest)
            throws SQLException {
        var id = row.uuid("id");
        var status = DeliveryStatus.numbered(row.integer("status"));
        var receivedAt = Uuid7.timeOf(id);
        return new DeadLetter(
                new DeliveryId(id),
                row.uuid("source_id"),
                row.uuid("connection_id"),
                row.uuid("destination_id"),
                row.text("destination_name"),
                new Ending(
                        status,
                        row.integerOrNone("error_code").map(ErrorCode::numbered),
                        row.integerOrNone("response_status"),
                        row.textOrNone("error_message"),
                        !row.isNull("attempted_at"),
                        row.integer("attempts")),
                Trigger.numbered(row.integer("trigger")),
                latest.getOrDefault(id, status),
                receivedAt,
                row.instantOrNone("created_at").orElse(receivedAt),
                row.instant("finished_at"));
    }

    /// It ended when it came in.
    private DeadLetter filtered(Rows.Key key, Map<UUID, DeliveryStatus> latest) {
        var target = scope.target(key.connection());
        var receivedAt = Uuid7.timeOf(key.id());
        return new DeadLetter(
                new DeliveryId(key.id()),
                key.source(),
                key.connection(),
                target.destination().value(),
                target.destinationName(),
                Ending.FILTERED,
                Trigger.INGEST,
                latest.getOrDefault(key.id(), DeliveryStatus.FILTERED),
                receivedAt,
                receivedAt,
                receivedAt);
    }

    /// How the newest delivery of the same event on the same connection stands, where there is a
    /// newer one.
    private Map<UUID, DeliveryStatus> latest(List<Rows.Key> keys) {
        var latest = new HashMap<UUID, DeliveryStatus>();
        tx.query(
                        """
                        select wanted.id, done.id as done_id, done.status, work.id as work_id, work.owner,
                               work.created_at
                          from unnest(?, ?, ?, ?) as wanted (source_id, id, last, connection_id)
                          left join lateral (select delivery.id, delivery.status
                                               from delivery
                                              where delivery.source_id = wanted.source_id
                                                and delivery.id > wanted.id and delivery.id <= wanted.last
                                                and delivery.connection_id = wanted.connection_id
                                              order by delivery.id desc
                                              limit 1) as done on true
                          left join lateral (select delivery_work.id, delivery_work.owner, delivery_work.created_at
                                               from delivery_work
                                              where delivery_work.source_id = wanted.source_id
                                                and delivery_work.id > wanted.id
                                                and delivery_work.id <= wanted.last
                                                and delivery_work.connection_id = wanted.connection_id
                                              order by delivery_work.id desc
                                              limit 1) as work on true
                         where done.id is not null or work.id is not null
                        """,
                        row -> Map.entry(row.uuid("id"), newest(row)),
                        keys.stream().map(Rows.Key::source).toList(),
                        keys.stream().map(Rows.Key::id).toList(),
                        keys.stream()
                                .map(key -> DeliveryId.lastOf(new DeliveryId(key.id()).event()))
                                .toList(),
                        keys.stream().map(Rows.Key::connection).toList())
                .forEach(entry -> latest.put(entry.getKey(), entry.getValue()));
        return latest;
    }

    private DeliveryStatus newest(Row row) throws SQLException {
        boolean isAtWork =
                !row.isNull("work_id")
                        && (row.isNull("done_id")
                                || Uuid7.ORDER.compare(row.uuid("work_id"), row.uuid("done_id"))
                                        > 0);
        if (!isAtWork) {
            return DeliveryStatus.numbered(row.integer("status"));
        }
        var id = row.uuid("work_id");
        Optional<Long> owner =
                row.isNull("owner") ? Optional.empty() : Optional.of(row.number("owner"));
        var createdAt = row.instantOrNone("created_at").orElse(Uuid7.timeOf(id));
        return new Unfinished(new DeliveryId(id), owner, createdAt).status(underWay, now);
    }
}
