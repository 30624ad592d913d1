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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Reads all deliveries of one event, including those that were filtered at ingest.
///
/// An event can have thousands of deliveries, each with up to eleven attempts, so only the attempts
/// of its newest deliveries are read.
final class DeliveryQueries {

    /// The maximum number of attempts that are shown with an event.
    private static final int MAX_ATTEMPTS = 500;

    /// The maximum size of the responses that are shown with an event.
    private static final long MAX_RESPONSE_BYTES = 1 << 20;

    /// The attempts of one delivery.
    private record AttemptsSize(UUID delivery, int attempts, long responseBytes) {}

    private final Tx tx;
    private final EventSummary event;
    private final WaitExplainer waits;
    private final Map<DeliveryId, List<AttemptView>> earlierAttempts = new HashMap<>();

    /// The ids of the deliveries whose attempts are shown.
    private final Set<UUID> shown = new HashSet<>();

    /// The ids of the deliveries that have attempts which are not shown.
    private final Set<UUID> leftOut = new HashSet<>();

    private DeliveryQueries(Tx tx, EventSummary event, WaitExplainer waits) {
        this.tx = tx;
        this.event = event;
        this.waits = waits;
    }

    /// Returns the event's deliveries, sorted by ordinal (a delivery's number within its event).
    static List<DeliveryView> of(Tx tx, EventQueries.FoundEvent found, WaitExplainer waits) {
        var queries = new DeliveryQueries(tx, found.summary(), waits);
        queries.chooseShown();
        return queries.read(found);
    }

    /// Returns one delivery with all its attempts, or empty if the event has no such delivery.
    static Optional<DeliveryView> find(
            Tx tx, EventQueries.FoundEvent found, DeliveryId id, WaitExplainer waits) {
        var queries = new DeliveryQueries(tx, found.summary(), waits);
        queries.shown.add(id.value());
        return queries.read(found).stream().filter(each -> each.id().equals(id)).findFirst();
    }

    private List<DeliveryView> read(EventQueries.FoundEvent found) {
        readEarlierAttempts();
        var deliveries = new ArrayList<>(finished());
        deliveries.addAll(unfinished());
        deliveries.addAll(filtered(found.filtered(), deliveries));
        deliveries.sort(Comparator.comparingInt(delivery -> delivery.id().ordinal()));
        return deliveries;
    }

    private UUID afterId() {
        return event.id().value();
    }

    private UUID lastId() {
        return DeliveryId.maxIdOf(event.id());
    }

    /// Chooses the newest deliveries, as many as have no more than [#MAX_ATTEMPTS] attempts and
    /// [#MAX_RESPONSE_BYTES] of responses together, but at least one.
    private void chooseShown() {
        int attempts = 0;
        long bytes = 0;
        for (var each : attemptsNewestFirst()) {
            attempts += each.attempts();
            bytes += each.responseBytes();
            boolean isRoom = attempts <= MAX_ATTEMPTS && bytes <= MAX_RESPONSE_BYTES;
            (isRoom || shown.isEmpty() ? shown : leftOut).add(each.delivery());
        }
    }

    private List<AttemptsSize> attemptsNewestFirst() {
        return tx.query(
                """
                select id, count(*) as attempts, coalesce(sum(bytes), 0) as bytes
                  from (select delivery_id as id, octet_length(response_body) as bytes
                          from attempt
                         where delivery_id > ? and delivery_id <= ? and source_id = ?
                        union all
                        select id, octet_length(response_body)
                          from delivery
                         where id > ? and id <= ? and source_id = ? and attempted_at is not null) as made
                 group by id
                 order by id desc
                """,
                row ->
                        new AttemptsSize(
                                row.uuid("id"), row.integer("attempts"), row.number("bytes")),
                afterId(),
                lastId(),
                event.source().value(),
                afterId(),
                lastId(),
                event.source().value());
    }

    private void readEarlierAttempts() {
        tx.query(
                        """
                        select attempt.*, revision.url
                          from attempt
                          left join destination_revision as revision on revision.id = attempt.revision
                         where delivery_id > ? and delivery_id <= ? and source_id = ?
                           and delivery_id = any (?)
                         order by delivery_id, number
                        """,
                        row ->
                                Map.entry(
                                        new DeliveryId(row.uuid("delivery_id")),
                                        AttemptView.read(row, row.integer("number"))),
                        afterId(),
                        lastId(),
                        event.source().value(),
                        List.copyOf(shown))
                .forEach(entry ->
                        earlierAttempts
                                .computeIfAbsent(entry.getKey(), _ -> new ArrayList<>())
                                .add(entry.getValue()));
    }

    private List<DeliveryView> finished() {
        return tx.query(
                """
                select delivery.id, delivery.connection_id, delivery.status, delivery.trigger,
                       delivery.attempts, delivery.created_at, delivery.finished_at,
                       delivery.attempted_at, delivery.latency_ms, delivery.response_status,
                       delivery.error_code, delivery.error_message,
                       case when delivery.id = any (?) then delivery.response_body end as response_body,
                       revision.url, connection.destination_id,
                       coalesce(revision.name, destination.name) as destination_name
                  from delivery
                  join connection on connection.id = delivery.connection_id
                  join destination on destination.id = connection.destination_id
                  left join destination_revision as revision on revision.id = delivery.revision
                 where delivery.id > ? and delivery.id <= ? and delivery.source_id = ?
                """,
                this::finished,
                List.copyOf(shown),
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
                isLeftOut(id) ? Optional.empty() : Optional.of(attempts));
    }

    private boolean isLeftOut(DeliveryId id) {
        return leftOut.contains(id.value());
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
                isLeftOut(id) ? Optional.empty() : Optional.of(attempts));
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
                            Optional.of(List.of())));
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
