package dev.sluice.testkit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.GivenRows.DeliveryRow;
import dev.sluice.testkit.GivenRows.UsageRow;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Writes finished deliveries with their ledger rows, as the relay does, and keeps a copy in memory
/// to compare with. Used by one thread.
public final class FinishedDeliveries {

    /// @param code empty for a success or a filtered delivery; present without `responseStatus`
    ///   when no attempt was made
    public record FinishedDelivery(
            DeliveryId id,
            SourceId source,
            ConnectionId connection,
            DeliveryStatus status,
            Optional<ErrorCode> code,
            Optional<Integer> responseStatus) {

        public Instant receivedAt() {
            return Uuid7.timeOf(id.value());
        }

        boolean isFiltered() {
            return status == DeliveryStatus.FILTERED;
        }

        private DeliveryRow row() {
            var lastAttempt =
                    code.isPresent() && responseStatus.isEmpty()
                            ? Optional.<DeliveryRow.LastAttempt>empty()
                            : Optional.of(
                                    new DeliveryRow.LastAttempt(
                                            3,
                                            responseStatus,
                                            code.map(_ ->
                                                    "Destination answered "
                                                            + responseStatus.orElseThrow())));
            return new DeliveryRow(
                    id,
                    source,
                    connection,
                    status,
                    receivedAt().plusSeconds(60),
                    Optional.empty(),
                    lastAttempt,
                    code);
        }
    }

    private static final Comparator<DeliveryId> BY_ID_TEXT =
            Comparator.comparing(DeliveryId::toString);

    private final Db db;
    private final List<FinishedDelivery> all = new ArrayList<>();

    public FinishedDeliveries(Db db) {
        this.db = db;
    }

    /// Adds a delivery that failed with status 410, of a new event.
    public FinishedDelivery failed(SourceId source, ConnectionId connection, Instant at) {
        var id = DeliveryId.of(Some.eventId(at), 1);
        return add(id, source, connection, DeliveryStatus.FAILED);
    }

    public FinishedDelivery add(
            DeliveryId id, SourceId source, ConnectionId connection, DeliveryStatus status) {
        boolean isSuccess = status == DeliveryStatus.SUCCEEDED;
        var end =
                new FinishedDelivery(
                        id,
                        source,
                        connection,
                        status,
                        isSuccess ? Optional.empty() : Optional.of(ErrorCode.HTTP_STATUS),
                        Optional.of(isSuccess ? 200 : 410));
        add(List.of(end));
        return end;
    }

    /// Adds these deliveries as one batch. None may be filtered. Each finished one minute after its
    /// event was received.
    public void add(List<FinishedDelivery> ends) {
        db.run(tx -> {
            GivenRows.insertDeliveries(tx, ends.stream().map(FinishedDelivery::row).toList());
            addLedger(tx, ends);
        });
        all.addAll(ends);
    }

    /// An event that `connections` filtered.
    ///
    /// @param others the number of deliveries that ingest made of the same event
    public List<FinishedDelivery> filtered(
            SourceId source, Instant at, List<ConnectionId> connections, int others) {
        var event = Some.eventId(at);
        var ends = new ArrayList<FinishedDelivery>();
        for (var connection : connections) {
            ends.add(
                    new FinishedDelivery(
                            DeliveryId.of(event, others + ends.size() + 1),
                            source,
                            connection,
                            DeliveryStatus.FILTERED,
                            Optional.empty(),
                            Optional.empty()));
        }
        db.run(tx -> {
            var row = new GivenRows.EventRow(event, source, others + connections.size());
            var filtered = connections.stream().map(ConnectionId::value).toList();
            GivenRows.insertEvents(tx, List.of(row.withFiltered(filtered)));
            addLedger(tx, ends);
        });
        all.addAll(ends);
        return ends;
    }

    private static void addLedger(Tx tx, List<FinishedDelivery> ends) {
        var counts = new ArrayList<UsageRow>();
        for (var end : ends) {
            counts.add(UsageRow.outcome(end.id(), end.connection(), end.status()));
            if (!end.isFiltered()) {
                counts.add(UsageRow.delivery(end.id(), end.connection()));
            }
        }
        GivenRows.insertLedger(tx, ends.getFirst().source().value(), counts);
    }

    /// Returns all deliveries, newest first.
    public List<FinishedDelivery> all() {
        return all.stream()
                .sorted(Comparator.comparing(FinishedDelivery::id, BY_ID_TEXT).reversed())
                .toList();
    }
}
