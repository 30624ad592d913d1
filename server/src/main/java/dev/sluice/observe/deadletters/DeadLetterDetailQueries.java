package dev.sluice.observe.deadletters;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.observe.DeliveryEnd;
import dev.sluice.observe.DeliveryInProgress;
import dev.sluice.observe.DeliveryTarget;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.InFlightAttempts;
import dev.sluice.relay.Trigger;

import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// Reads the details of the deliveries on one page of a list.
final class DeadLetterDetailQueries {

    private final Tx tx;
    private final DeadLetterScope scope;
    private final InFlightAttempts inFlightAttempts;
    private final Instant now;

    DeadLetterDetailQueries(
            Tx tx, DeadLetterScope scope, InFlightAttempts inFlightAttempts, Instant now) {
        this.tx = tx;
        this.scope = scope;
        this.inFlightAttempts = inFlightAttempts;
        this.now = now;
    }

    /// Returns the deliveries with these keys, in the order of the keys.
    List<DeadLetter> of(List<DeadLetterQueries.FinishedDeliveryKey> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        var latest = latestStatuses(keys);
        var dismissed = dismissedTimes(keys);
        var finished = readFinished(keys, latest, dismissed);
        return keys.stream()
                .map(key ->
                        key.hasRow()
                                ? Objects.requireNonNull(finished.get(key.id()))
                                : filteredDeadLetter(key, latest))
                .toList();
    }

    private Map<UUID, DeadLetter> readFinished(
            List<DeadLetterQueries.FinishedDeliveryKey> keys,
            Map<UUID, DeliveryStatus> latest,
            Map<UUID, Instant> dismissed) {
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
                        row -> readFinished(row, latest, dismissed),
                        keys.stream().map(DeadLetterQueries.FinishedDeliveryKey::source).toList(),
                        keys.stream().map(DeadLetterQueries.FinishedDeliveryKey::id).toList())
                .stream()
                .collect(
                        Collectors.toMap(
                                deadLetter -> deadLetter.id().value(), deadLetter -> deadLetter));
    }

    private static DeadLetter readFinished(
            Row row, Map<UUID, DeliveryStatus> latest, Map<UUID, Instant> dismissed)
            throws SQLException {
        var id = row.uuid("id");
        var status = DeliveryStatus.fromNumber(row.integer("status"));
        var receivedAt = Uuid7.timeOf(id);
        return new DeadLetter(
                new DeliveryId(id),
                row.uuid("source_id"),
                new DeliveryTarget(
                        new ConnectionId(row.uuid("connection_id")),
                        row.uuid("destination_id"),
                        row.text("destination_name")),
                new DeliveryEnd(
                        status,
                        row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                        row.integerOrNone("response_status"),
                        row.textOrNone("error_message"),
                        !row.isNull("attempted_at"),
                        row.integer("attempts")),
                Trigger.fromNumber(row.integer("trigger")),
                latest.getOrDefault(id, status),
                Optional.ofNullable(dismissed.get(id)),
                row.instantOrNone("created_at").orElse(receivedAt),
                row.instant("finished_at"));
    }

    /// Returns a delivery that was filtered at ingest and has no row. It ended as soon as its event
    /// was received.
    private DeadLetter filteredDeadLetter(
            DeadLetterQueries.FinishedDeliveryKey key, Map<UUID, DeliveryStatus> latest) {
        var scopedConnection = scope.target(key.connection());
        var receivedAt = Uuid7.timeOf(key.id());
        return new DeadLetter(
                new DeliveryId(key.id()),
                key.source(),
                new DeliveryTarget(
                        scopedConnection.connection(),
                        scopedConnection.destination().value(),
                        scopedConnection.destinationName()),
                DeliveryEnd.FILTERED,
                Trigger.INGEST,
                latest.getOrDefault(key.id(), DeliveryStatus.FILTERED),
                Optional.empty(),
                receivedAt,
                receivedAt);
    }

    private Map<UUID, Instant> dismissedTimes(List<DeadLetterQueries.FinishedDeliveryKey> keys) {
        var times = new HashMap<UUID, Instant>();
        tx.query(
                        """
                        select dismissal.delivery_id, dismissal.dismissed_at
                          from unnest(?, ?) as wanted (source_id, id)
                          join dismissal on dismissal.source_id = wanted.source_id
                           and dismissal.delivery_id = wanted.id
                        """,
                        row -> Map.entry(row.uuid("delivery_id"), row.instant("dismissed_at")),
                        keys.stream().map(DeadLetterQueries.FinishedDeliveryKey::source).toList(),
                        keys.stream().map(DeadLetterQueries.FinishedDeliveryKey::id).toList())
                .forEach(entry -> times.put(entry.getKey(), entry.getValue()));
        return times;
    }

    /// Returns the status of the newest delivery of the same event on the same connection, by
    /// delivery id. A delivery without a newer one has no entry.
    private Map<UUID, DeliveryStatus> latestStatuses(
            List<DeadLetterQueries.FinishedDeliveryKey> keys) {
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
                        row -> Map.entry(row.uuid("id"), newestStatus(row)),
                        keys.stream().map(DeadLetterQueries.FinishedDeliveryKey::source).toList(),
                        keys.stream().map(DeadLetterQueries.FinishedDeliveryKey::id).toList(),
                        keys.stream()
                                .map(key -> DeliveryId.maxIdOf(new DeliveryId(key.id()).event()))
                                .toList(),
                        keys.stream()
                                .map(DeadLetterQueries.FinishedDeliveryKey::connection)
                                .toList())
                .forEach(entry -> latest.put(entry.getKey(), entry.getValue()));
        return latest;
    }

    private DeliveryStatus newestStatus(Row row) throws SQLException {
        boolean isAtWork =
                !row.isNull("work_id")
                        && (row.isNull("done_id")
                                || Uuid7.UNSIGNED_ORDER.compare(
                                                row.uuid("work_id"), row.uuid("done_id"))
                                        > 0);
        if (!isAtWork) {
            return DeliveryStatus.fromNumber(row.integer("status"));
        }
        var id = row.uuid("work_id");
        Optional<Long> owner =
                row.isNull("owner") ? Optional.empty() : Optional.of(row.number("owner"));
        var createdAt = row.instantOrNone("created_at").orElse(Uuid7.timeOf(id));
        return new DeliveryInProgress(new DeliveryId(id), owner, createdAt)
                .status(inFlightAttempts, now);
    }
}
