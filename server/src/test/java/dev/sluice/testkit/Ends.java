package dev.sluice.testkit;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Trigger;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Deliveries as the relay leaves them when they have ended, their ledger rows included, and the
/// same in memory to compare with.
public final class Ends {

    /// @param code with an answer's status, an attempt failed; without one, nothing was tried
    public record End(
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

        private Trigger trigger() {
            return id.ordinal() >= DeliveryId.FIRST_RESEND ? Trigger.RESEND : Trigger.INGEST;
        }
    }

    private static final Comparator<DeliveryId> ORDER = Comparator.comparing(DeliveryId::toString);

    private final Db db;
    private final List<End> all = new ArrayList<>();

    public Ends(Db db) {
        this.db = db;
    }

    /// One that failed with a 410, of an event of its own.
    public End failed(SourceId source, ConnectionId connection, Instant at) {
        var id = DeliveryId.of(Some.eventId(at), 1);
        return add(id, source, connection, DeliveryStatus.FAILED);
    }

    public End add(DeliveryId id, SourceId source, ConnectionId connection, DeliveryStatus status) {
        boolean isSuccess = status == DeliveryStatus.SUCCEEDED;
        var end =
                new End(
                        id,
                        source,
                        connection,
                        status,
                        isSuccess ? Optional.empty() : Optional.of(ErrorCode.HTTP_STATUS),
                        Optional.of(isSuccess ? 200 : 410));
        add(List.of(end));
        return end;
    }

    /// As one batch; none of them filtered. They ended a minute after their event came in.
    public void add(List<End> ends) {
        db.run(tx -> {
            for (var end : ends) {
                addDelivery(tx, end);
            }
            addLedger(tx, ends);
        });
        all.addAll(ends);
    }

    private static void addDelivery(Tx tx, End end) {
        var finishedAt = end.receivedAt().plusSeconds(60);
        boolean isAttempted = end.code().isEmpty() || end.responseStatus().isPresent();
        tx.update(
                """
                insert into delivery (id, finished_at, attempted_at, source_id, connection_id, latency_ms,
                                      status, trigger, attempts, response_status, error_code, error_message)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                end.id().value(),
                finishedAt,
                isAttempted ? finishedAt : null,
                end.source().value(),
                end.connection().value(),
                isAttempted ? 7 : null,
                end.status().number(),
                end.trigger().number(),
                isAttempted ? 3 : 0,
                end.responseStatus().orElse(null),
                end.code().map(code -> (int) code.number()).orElse(null),
                end.code()
                        .filter(_ -> isAttempted)
                        .map(_ -> "Destination answered " + end.responseStatus().orElseThrow())
                        .orElse(null));
    }

    /// An event that `connections` filtered.
    ///
    /// @param others deliveries that ingest made of it
    public List<End> filtered(
            SourceId source, Instant at, List<ConnectionId> connections, int others) {
        var event = Some.eventId(at);
        var ends = new ArrayList<End>();
        for (var connection : connections) {
            ends.add(
                    new End(
                            DeliveryId.of(event, others + ends.size() + 1),
                            source,
                            connection,
                            DeliveryStatus.FILTERED,
                            Optional.empty(),
                            Optional.empty()));
        }
        db.run(tx -> {
            addEvent(tx, source, event, connections, others);
            addLedger(tx, ends);
        });
        all.addAll(ends);
        return ends;
    }

    private static void addEvent(
            Tx tx, SourceId source, EventId event, List<ConnectionId> filtered, int others) {
        tx.update(
                """
                insert into event (id, source_id, method, verification, fanout, body_size, filtered, headers, body)
                values (?, ?, 'POST', 3, ?, 2, ?, ''::bytea, '{}'::bytea)
                """,
                event.value(),
                source.value(),
                others + filtered.size(),
                filtered.stream().map(ConnectionId::value).toList());
    }

    private static void addLedger(Tx tx, List<End> ends) {
        tx.update(
                """
                insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims, counts, sizes)
                values (?, ?, ?, ?, ?, ?::smallint[], ?, ?, ?)
                """,
                Some.id(),
                ends.getFirst().source().value(),
                ends.stream().map(_ -> 2).toList(),
                ends.stream().map(end -> end.connection().value()).toList(),
                ends.stream().map(end -> (int) (end.receivedAt().getEpochSecond() / 3600)).toList(),
                ends.stream().map(_ -> 0).toList(),
                ends.stream().map(end -> (int) end.status().number()).toList(),
                ends.stream().map(_ -> 1).toList(),
                ends.stream().map(_ -> 0L).toList());
    }

    /// The newest first.
    public List<End> all() {
        return all.stream().sorted(Comparator.comparing(End::id, ORDER).reversed()).toList();
    }
}
