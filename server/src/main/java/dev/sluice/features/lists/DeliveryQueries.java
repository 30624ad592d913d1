package dev.sluice.features.lists;

import static java.util.Objects.requireNonNull;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.history.DeliveryEnd;
import dev.sluice.history.DeliveryTarget;
import dev.sluice.history.StatusView;
import dev.sluice.history.events.EventSummary;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads all deliveries of one event, including those that were filtered at ingest.
final class DeliveryQueries {

    private final Tx tx;
    private final EventSummary event;
    private final WaitExplainer waits;
    private final Map<DeliveryId, List<AttemptView>> earlierAttempts = new HashMap<>();

    private DeliveryQueries(Tx tx, EventSummary event, WaitExplainer waits) {
        this.tx = tx;
        this.event = event;
        this.waits = waits;
    }

    /// Returns the event's deliveries, sorted by ordinal (a delivery's number within its event).
    static List<DeliveryView> of(Tx tx, EventQueries.FoundEvent found, WaitExplainer waits) {
        var queries = new DeliveryQueries(tx, found.summary(), waits);
        queries.readEarlierAttempts();
        var deliveries = new ArrayList<>(queries.finished());
        deliveries.addAll(queries.unfinished());
        deliveries.addAll(queries.filtered(found.filtered(), deliveries));
        deliveries.sort(Comparator.comparingInt(delivery -> delivery.id().ordinal()));
        return deliveries;
    }

    private UUID afterId() {
        return event.id().value();
    }

    private UUID lastId() {
        return DeliveryId.maxIdOf(event.id());
    }

    private void readEarlierAttempts() {
        tx.query(
                        """
                        select attempt.*, revision.url
                          from attempt
                          left join destination_revision as revision on revision.id = attempt.revision
                         where delivery_id > ? and delivery_id <= ? and source_id = ?
                         order by delivery_id, number
                        """,
                        row ->
                                Map.entry(
                                        new DeliveryId(row.uuid("delivery_id")),
                                        AttemptView.read(row, row.integer("number"))),
                        afterId(),
                        lastId(),
                        event.source().value())
                .forEach(entry ->
                        earlierAttempts
                                .computeIfAbsent(entry.getKey(), _ -> new ArrayList<>())
                                .add(entry.getValue()));
    }

    private List<DeliveryView> finished() {
        return tx.query(
                """
                select delivery.*, revision.url, connection.destination_id,
                       coalesce(revision.name, destination.name) as destination_name
                  from delivery
                  join connection on connection.id = delivery.connection_id
                  join destination on destination.id = connection.destination_id
                  left join destination_revision as revision on revision.id = delivery.revision
                 where delivery.id > ? and delivery.id <= ? and delivery.source_id = ?
                """,
                this::finished,
                afterId(),
                lastId(),
                event.source().value());
    }

    private DeliveryView finished(Row row) throws SQLException {
        var id = new DeliveryId(row.uuid("id"));
        int count = row.integer("attempts");
        Optional<AttemptView> finalAttempt =
                row.isNull("attempted_at")
                        ? Optional.empty()
                        : Optional.of(AttemptView.read(row, count));
        var attempts = new ArrayList<>(earlierAttempts.getOrDefault(id, List.of()));
        finalAttempt.ifPresent(attempts::add);
        var status = DeliveryStatus.fromNumber(row.integer("status"));
        return new DeliveryView(
                id,
                target(row),
                StatusView.of(
                        status,
                        new DeliveryEnd(
                                        status,
                                        row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                                        row.integerOrNone("response_status"),
                                        row.textOrNone("error_message"),
                                        finalAttempt.isPresent(),
                                        count)
                                .reason()),
                Trigger.fromNumber(row.integer("trigger")),
                new DeliveryView.DeliveryTimes(
                        row.instantOrNone("created_at").orElse(event.receivedAt()),
                        Optional.empty(),
                        Optional.of(row.instant("finished_at"))),
                count,
                attempts);
    }

    private static DeliveryTarget target(Row row) throws SQLException {
        return new DeliveryTarget(
                new ConnectionId(row.uuid("connection_id")),
                row.uuid("destination_id"),
                row.text("destination_name"));
    }

    private List<DeliveryView> unfinished() {
        return tx.query(
                "select "
                        + WaitExplainer.COLUMNS_SQL
                        + " from delivery_work as work "
                        + WaitExplainer.JOINS_SQL
                        + " where work.id > ? and work.id <= ? and work.source_id = ?",
                this::unfinished,
                afterId(),
                lastId(),
                event.source().value());
    }

    private DeliveryView unfinished(Row row) throws SQLException {
        var id = new DeliveryId(row.uuid("id"));
        var attempts = earlierAttempts.getOrDefault(id, List.of());
        var wait =
                waits.explain(
                        row,
                        attempts.isEmpty() ? Optional.empty() : attempts.getLast().errorMessage());
        return new DeliveryView(
                id,
                target(row),
                wait.status(),
                Trigger.fromNumber(row.integer("trigger")),
                new DeliveryView.DeliveryTimes(
                        row.instantOrNone("created_at").orElse(event.receivedAt()),
                        wait.nextAttemptAt(),
                        Optional.empty()),
                row.integer("attempts"),
                attempts);
    }

    /// Returns the deliveries that were filtered at ingest. They have no rows. Their ids follow
    /// those of the event's ingest deliveries that have rows; see
    /// [dev.sluice.history.IngestOrdinals].
    private List<DeliveryView> filtered(List<ConnectionId> connections, List<DeliveryView> others) {
        if (connections.isEmpty()) {
            return List.of();
        }
        var targets = filteredTargets(connections);
        long before =
                others.stream().filter(delivery -> delivery.trigger() == Trigger.INGEST).count();
        var views = new ArrayList<DeliveryView>();
        for (var connection : connections) {
            views.add(
                    new DeliveryView(
                            DeliveryId.of(event.id(), (int) before + views.size() + 1),
                            requireNonNull(targets.get(connection)),
                            StatusView.of(DeliveryStatus.FILTERED, DeliveryEnd.FILTERED.reason()),
                            Trigger.INGEST,
                            new DeliveryView.DeliveryTimes(
                                    event.receivedAt(),
                                    Optional.empty(),
                                    Optional.of(event.receivedAt())),
                            0,
                            List.of()));
        }
        return views;
    }

    private Map<ConnectionId, DeliveryTarget> filteredTargets(List<ConnectionId> connections) {
        var targets = new HashMap<ConnectionId, DeliveryTarget>();
        tx.query(
                        """
                        select connection.id as connection_id, destination.id as destination_id,
                               destination.name as destination_name
                          from connection
                          join destination on destination.id = connection.destination_id
                         where connection.id = any (?)
                        """,
                        DeliveryQueries::target,
                        connections.stream().map(ConnectionId::value).toList())
                .forEach(target -> targets.put(target.connection(), target));
        return targets;
    }
}
