package dev.sluice.engine.commit;

import dev.sluice.engine.Trigger;
import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.ledger.LedgerRow;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.CopyRows;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.db.NewRows;
import dev.sluice.platform.db.SqlStatement;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Writes a batch of events in one transaction, together with their deliveries and the row that
/// counts them in the usage ledger.
///
/// An instance may be used by only one thread, because its buffers are reused for every batch.
public final class EventStore {

    private static final String EVENT_COLUMNS =
            """
            event (id, source_id, method, verification, fanout, body_size, content_type,
                   filtered, verification_reason, headers, body)
            """;

    private static final String WORK_COLUMNS =
            "delivery_work (id, next_at, source_id, connection_id, owner, trigger)";

    private static final String UNDECIDED_WORK_COLUMNS =
            "delivery_work (id, next_at, source_id, connection_id, owner, trigger, undecided)";

    private final CopyRows events = new CopyRows();
    private final CopyRows work = new CopyRows();
    private final CopyRows undecidedWork = new CopyRows();

    /// Writes the batch, which must not be empty, in a new transaction. A small batch takes one
    /// round trip. Throws the same exceptions as [DedicatedConnection#call].
    ///
    /// @param epoch the epoch (see [dev.sluice.engine.Lease]) of the node that owns the fresh
    ///   deliveries, which are those marked [AcceptedEvent.PlannedDelivery#isFresh]
    /// @param now the due time of the deliveries that are not fresh
    public void write(
            DedicatedConnection connection,
            List<AcceptedEvent> batch,
            UUID batchId,
            long epoch,
            Instant now) {
        var rows = rows(batch);
        connection.insert(fill(rows, batch, batchId, epoch, now), rows.tables());
    }

    /// Does the same as the other `write`, but in the caller's transaction.
    void write(Tx tx, List<AcceptedEvent> batch, UUID batchId, long epoch, Instant now) {
        var rows = rows(batch);
        tx.insert(fill(rows, batch, batchId, epoch, now), rows.tables());
    }

    private record BatchRows(NewRows events, NewRows work, NewRows undecidedWork) {

        List<Tx.Insertion> tables() {
            return List.of(
                    new Tx.Insertion(EVENT_COLUMNS, events),
                    new Tx.Insertion(WORK_COLUMNS, work),
                    new Tx.Insertion(UNDECIDED_WORK_COLUMNS, undecidedWork));
        }
    }

    private BatchRows rows(List<AcceptedEvent> batch) {
        int deliveries = batch.stream().mapToInt(event -> event.deliveries().size()).sum();
        int most = Math.max(batch.size(), deliveries);
        return NewRows.fitStatement(most)
                ? new BatchRows(NewRows.of(most), NewRows.of(most), NewRows.of(most))
                : new BatchRows(events.clear(), work.clear(), undecidedWork.clear());
    }

    /// Adds the batch's events and deliveries to `rows`, and returns the statements that record the
    /// batch in the usage ledger. The caller runs these statements before it inserts the rows
    /// because, unlike a COPY, they can share a round trip with the start of the transaction.
    private static List<SqlStatement> fill(
            BatchRows rows, List<AcceptedEvent> batch, UUID batchId, long epoch, Instant now) {
        var ledger = new LedgerRow();
        for (var event : batch) {
            addEvent(rows.events(), event);
            ledger.addEvent(
                    event.source(),
                    event.id(),
                    event.verification().status(),
                    event.payload().body().length);
            for (var connection : event.filteredConnections()) {
                ledger.addFiltered(connection, event.id());
            }
            for (var planned : event.deliveries()) {
                var deliveries = planned.isUndecided() ? rows.undecidedWork() : rows.work();
                addDelivery(deliveries, event, planned, epoch, now);
                ledger.addDelivery(planned.connection(), event.id(), Trigger.INGEST);
            }
        }
        return LedgerStore.statements(ledger, batchId, batch.getFirst().source());
    }

    private static void addEvent(NewRows events, AcceptedEvent event) {
        events.row(11)
                .uuid(event.id().value())
                .uuid(event.source().value())
                .text(event.method())
                .int2(event.verification().status().number())
                .int2(event.fanout())
                .int4(event.payload().body().length)
                .text(event.contentType());
        if (event.filteredConnections().isEmpty()) {
            events.nullValue(NewRows.ColumnType.UUIDS);
        } else {
            events.uuids(event.filteredConnections().stream().map(ConnectionId::value).toList());
        }
        events.int2(event.verification().reason().map(VerificationReason::number))
                .bytes(event.payload().headerLines())
                .bytes(event.payload().body());
    }

    private static void addDelivery(
            NewRows rows,
            AcceptedEvent event,
            AcceptedEvent.PlannedDelivery planned,
            long epoch,
            Instant now) {
        rows.row(planned.isUndecided() ? 7 : 6).uuid(planned.id().value());
        if (planned.isFresh()) {
            rows.nullValue(NewRows.ColumnType.INSTANT);
        } else {
            rows.instant(now);
        }
        rows.uuid(event.source().value()).uuid(planned.connection().value());
        if (planned.isFresh()) {
            rows.int8(epoch);
        } else {
            rows.nullValue(NewRows.ColumnType.INT8);
        }
        rows.int2(Trigger.INGEST.number());
        if (planned.isUndecided()) {
            rows.bool(true);
        }
    }

    /// Whether the batch that contains this event was committed. Checks only this event, because a
    /// batch is committed as a whole.
    public static boolean isStored(Tx tx, AcceptedEvent event) {
        return tx.findOne(
                        "select id from event where source_id = ? and id = ?",
                        row -> row.uuid("id"),
                        event.source().value(),
                        event.id().value())
                .isPresent();
    }
}
