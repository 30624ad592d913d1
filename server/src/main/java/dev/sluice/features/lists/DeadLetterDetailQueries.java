package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.history.DeliveryInProgress;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads the details of the deliveries on one page of a list.
record DeadLetterDetailQueries(Tx tx, DeliveryItemQueries items, WaitExplainer waits) {

    /// Returns the deliveries with these keys, in the same order.
    List<DeadLetter> of(List<DeliveryKey> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        var latest = latestStatuses(keys);
        var dismissed = dismissedTimes(keys);
        return items.of(keys).stream()
                .map(item -> {
                    var id = item.id().value();
                    return new DeadLetter(
                            item,
                            latest.getOrDefault(id, item.status()),
                            Optional.ofNullable(dismissed.get(id)));
                })
                .toList();
    }

    private Map<UUID, Instant> dismissedTimes(List<DeliveryKey> keys) {
        var times = new HashMap<UUID, Instant>();
        tx.query(
                        """
                        select dismissal.delivery_id, dismissal.dismissed_at
                          from unnest(?, ?) as wanted (source_id, id)
                          join dismissal on dismissal.source_id = wanted.source_id
                           and dismissal.delivery_id = wanted.id
                        """,
                        row -> Map.entry(row.uuid("delivery_id"), row.instant("dismissed_at")),
                        keys.stream().map(DeliveryKey::source).toList(),
                        keys.stream().map(DeliveryKey::id).toList())
                .forEach(entry -> times.put(entry.getKey(), entry.getValue()));
        return times;
    }

    /// Returns, for each of these deliveries, the status of the newest delivery of the same event
    /// on the same connection. A delivery that is itself the newest has no entry.
    private Map<UUID, DeliveryStatus> latestStatuses(List<DeliveryKey> keys) {
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
                        keys.stream().map(DeliveryKey::source).toList(),
                        keys.stream().map(DeliveryKey::id).toList(),
                        keys.stream()
                                .map(key -> DeliveryId.maxIdOf(new DeliveryId(key.id()).event()))
                                .toList(),
                        keys.stream().map(DeliveryKey::connection).toList())
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
        return waits.status(new DeliveryInProgress(new DeliveryId(id), owner, createdAt));
    }
}
