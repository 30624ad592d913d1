package dev.sluice.observe.events;

import static java.util.Objects.requireNonNull;

import dev.sluice.account.plan.Retention;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Hold;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.observe.Ending;
import dev.sluice.observe.Unfinished;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.UnderWay;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads the deliveries of one event: those finished, those at work, those filtered.
final class DeliveryQueries {

    private record Target(UUID destination, String name) {}

    private final Tx tx;
    private final Routing routing;
    private final UnderWay underWay;
    private final EventSummary event;
    private final Retention retention;
    private final Instant now;
    private final Map<DeliveryId, List<AttemptView>> earlier = new HashMap<>();

    private DeliveryQueries(
            Tx tx,
            Routing routing,
            UnderWay underWay,
            EventSummary event,
            Retention retention,
            Instant now) {
        this.tx = tx;
        this.routing = routing;
        this.underWay = underWay;
        this.event = event;
        this.retention = retention;
        this.now = now;
    }

    /// In the order they were made.
    static List<DeliveryView> of(
            Tx tx,
            Routing routing,
            UnderWay underWay,
            EventQueries.Found found,
            Retention retention,
            Instant now) {
        var queries = new DeliveryQueries(tx, routing, underWay, found.summary(), retention, now);
        queries.readEarlierAttempts();
        var deliveries = new ArrayList<>(queries.finished());
        deliveries.addAll(queries.unfinished());
        deliveries.addAll(queries.filtered(found.filtered(), deliveries));
        deliveries.sort(Comparator.comparingInt(delivery -> delivery.id().ordinal()));
        return deliveries;
    }

    private UUID first() {
        return event.id().value();
    }

    private UUID last() {
        return DeliveryId.lastOf(event.id());
    }

    private void readEarlierAttempts() {
        tx.query(
                        """
                        select attempt.*, revision.url
                          from attempt
                          join destination_revision as revision on revision.id = attempt.revision
                         where delivery_id > ? and delivery_id <= ? and source_id = ?
                         order by delivery_id, number
                        """,
                        row ->
                                Map.entry(
                                        new DeliveryId(row.uuid("delivery_id")),
                                        AttemptView.read(row, row.integer("number"))),
                        first(),
                        last(),
                        event.source().value())
                .forEach(entry ->
                        earlier.computeIfAbsent(entry.getKey(), _ -> new ArrayList<>())
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
                first(),
                last(),
                event.source().value());
    }

    private DeliveryView finished(Row row) throws SQLException {
        var id = new DeliveryId(row.uuid("id"));
        int count = row.integer("attempts");
        Optional<AttemptView> finalAttempt =
                row.isNull("attempted_at")
                        ? Optional.empty()
                        : Optional.of(AttemptView.read(row, count));
        var attempts = new ArrayList<>(earlier.getOrDefault(id, List.of()));
        finalAttempt.ifPresent(attempts::add);
        var status = DeliveryStatus.numbered(row.integer("status"));
        return new DeliveryView(
                id,
                new ConnectionId(row.uuid("connection_id")),
                row.uuid("destination_id"),
                row.text("destination_name"),
                status,
                Trigger.numbered(row.integer("trigger")),
                count,
                Optional.empty(),
                row.instantOrNone("created_at").orElse(event.receivedAt()),
                Optional.of(row.instant("finished_at")),
                new Ending(
                                status,
                                row.integerOrNone("error_code").map(ErrorCode::numbered),
                                row.integerOrNone("response_status"),
                                row.textOrNone("error_message"),
                                finalAttempt.isPresent(),
                                count)
                        .reason(),
                attempts);
    }

    private List<DeliveryView> unfinished() {
        return tx.query(
                """
                select work.*, connection.destination_id, destination.name as destination_name,
                       destination.retry_intervals, circuit.state as circuit_state,
                       circuit.reopen_at, circuit.last_error
                  from delivery_work as work
                  join connection on connection.id = work.connection_id
                  join destination on destination.id = connection.destination_id
                  left join circuit on circuit.destination_id = destination.id
                 where work.id > ? and work.id <= ? and work.source_id = ?
                """,
                this::unfinished,
                first(),
                last(),
                event.source().value());
    }

    private DeliveryView unfinished(Row row) throws SQLException {
        var id = new DeliveryId(row.uuid("id"));
        var connection = new ConnectionId(row.uuid("connection_id"));
        var trigger = Trigger.numbered(row.integer("trigger"));
        var attempts = earlier.getOrDefault(id, List.of());
        int count = row.integer("attempts");
        var createdAt = row.instantOrNone("created_at").orElse(event.receivedAt());
        boolean isInMemory = !row.isNull("owner");
        var circuit = CircuitHold.read(row);
        var hold =
                routing.route(connection)
                        .flatMap(route -> route.hold(trigger == Trigger.RESEND))
                        .or(() -> circuit.map(_ -> Hold.CIRCUIT_OPEN));
        Optional<Long> owner = isInMemory ? Optional.of(row.number("owner")) : Optional.empty();
        var status = new Unfinished(id, owner, createdAt).status(underWay, now);
        var due = row.instantOrNone("next_at");
        Optional<Instant> next =
                hold.equals(Optional.of(Hold.CIRCUIT_OPEN))
                        ? circuit.map(open -> open.notBefore(due.orElse(now)))
                        : due;
        return new DeliveryView(
                id,
                connection,
                row.uuid("destination_id"),
                row.text("destination_name"),
                status,
                trigger,
                count,
                next,
                createdAt,
                Optional.empty(),
                status == DeliveryStatus.DELIVERING
                        ? DeliveryView.delivering(count)
                        : DeliveryView.waiting(
                                        hold,
                                        circuit,
                                        isInMemory,
                                        count,
                                        row.integers("retry_intervals").size(),
                                        next.orElse(now),
                                        attempts.stream().reduce((_, latest) -> latest))
                                + ending(next.orElse(now)),
                attempts);
    }

    /// When what waits ends unsent, once that is near or comes before its next attempt.
    private String ending(Instant next) {
        return retention
                .expiresAt(event.receivedAt())
                .filter(end -> retention.isEndNear(event.receivedAt(), now) || !next.isBefore(end))
                .map(DeliveryView::ending)
                .orElse("");
    }

    /// They have the last ordinals that ingest gave out, in the order of the list.
    private List<DeliveryView> filtered(List<ConnectionId> connections, List<DeliveryView> others) {
        if (connections.isEmpty()) {
            return List.of();
        }
        var targets = targets(connections);
        long before =
                others.stream().filter(delivery -> delivery.trigger() == Trigger.INGEST).count();
        var views = new ArrayList<DeliveryView>();
        for (var connection : connections) {
            var target = requireNonNull(targets.get(connection));
            views.add(
                    new DeliveryView(
                            DeliveryId.of(event.id(), (int) before + views.size() + 1),
                            connection,
                            target.destination(),
                            target.name(),
                            DeliveryStatus.FILTERED,
                            Trigger.INGEST,
                            0,
                            Optional.empty(),
                            event.receivedAt(),
                            Optional.of(event.receivedAt()),
                            Ending.FILTERED.reason(),
                            List.of()));
        }
        return views;
    }

    private Map<ConnectionId, Target> targets(List<ConnectionId> connections) {
        var targets = new HashMap<ConnectionId, Target>();
        tx.query(
                        """
                        select connection.id, destination.id as destination_id, destination.name
                          from connection
                          join destination on destination.id = connection.destination_id
                         where connection.id = any (?)
                        """,
                        row ->
                                Map.entry(
                                        new ConnectionId(row.uuid("id")),
                                        new Target(row.uuid("destination_id"), row.text("name"))),
                        connections.stream().map(ConnectionId::value).toList())
                .forEach(entry -> targets.put(entry.getKey(), entry.getValue()));
        return targets;
    }
}
