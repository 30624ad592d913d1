package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.CopyRows;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.usage.LedgerRow;
import dev.sluice.relay.usage.LedgerStore;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Writes a batch of events, with their deliveries and their row in the usage ledger, in one
/// transaction.
///
/// Used by one thread, which reuses the buffers for every batch.
public final class EventStore {

    private final CopyRows events = new CopyRows();
    private final CopyRows work = new CopyRows();
    private final CopyRows undecidedWork = new CopyRows();

    /// Writes the batch, which must not be empty.
    ///
    /// @param epoch the epoch (see [dev.sluice.relay.Lease]) of the node that owns the fresh
    ///   deliveries
    /// @param now the due time of the waiting deliveries
    public void write(Tx tx, List<AcceptedEvent> batch, UUID batchId, long epoch, Instant now) {
        events.clear();
        work.clear();
        undecidedWork.clear();
        var ledger = new LedgerRow();
        for (var event : batch) {
            addEvent(event);
            ledger.addEvent(
                    event.source(),
                    event.id(),
                    event.verification().status(),
                    event.payload().body().length);
            for (var connection : event.filteredConnections()) {
                ledger.addFiltered(connection, event.id());
            }
            for (var planned : event.deliveries()) {
                addDelivery(event, planned, epoch, now);
                ledger.addDelivery(planned.connection(), event.id(), Trigger.INGEST);
            }
        }
        // The ledger row is written first. As a prepared statement it can share its round trip with
        // the start of the transaction; a COPY cannot.
        LedgerStore.write(tx, ledger, batchId, batch.getFirst().source());
        tx.copy(
                """
                copy event (id, source_id, method, verification, fanout, body_size, content_type,
                            filtered, verification_reason, encoding, headers, body)
                from stdin (format binary)
                """,
                events);
        if (!work.isEmpty()) {
            tx.copy(
                    """
                    copy delivery_work (id, next_at, source_id, connection_id, owner, trigger)
                    from stdin (format binary)
                    """,
                    work);
        }
        if (!undecidedWork.isEmpty()) {
            tx.copy(
                    """
                    copy delivery_work (id, next_at, source_id, connection_id, owner, trigger, undecided)
                    from stdin (format binary)
                    """,
                    undecidedWork);
        }
    }

    private void addEvent(AcceptedEvent event) {
        events.row(12)
                .uuid(event.id().value())
                .uuid(event.source().value())
                .text(event.method())
                .int2(event.verification().status().number())
                .int2(event.fanout())
                .int4(event.payload().body().length)
                .text(event.contentType());
        if (event.filteredConnections().isEmpty()) {
            events.nullValue();
        } else {
            events.uuids(event.filteredConnections().stream().map(ConnectionId::value).toList());
        }
        var reason = event.verification().reason();
        if (reason.isEmpty()) {
            events.nullValue();
        } else {
            events.int2(reason.get().number());
        }
        var stored = event.stored();
        if (stored.isPlain()) {
            events.nullValue();
        } else {
            events.int4(stored.encoding());
        }
        events.bytes(stored.headers()).bytes(stored.body());
    }

    private void addDelivery(
            AcceptedEvent event, AcceptedEvent.PlannedDelivery planned, long epoch, Instant now) {
        var rows = planned.isUndecided() ? undecidedWork : work;
        rows.row(planned.isUndecided() ? 7 : 6).uuid(planned.id().value());
        if (planned.isFresh()) {
            rows.nullValue();
        } else {
            rows.instant(now);
        }
        rows.uuid(event.source().value()).uuid(planned.connection().value());
        if (planned.isFresh()) {
            rows.int8(epoch);
        } else {
            rows.nullValue();
        }
        rows.int2(Trigger.INGEST.number());
        if (planned.isUndecided()) {
            rows.bool(true);
        }
    }

    /// Whether the batch of this event was committed. Checks only this event, because a batch is
    /// committed as a whole.
    public static boolean isStored(Tx tx, AcceptedEvent event) {
        return tx.findOne(
                        "select id from event where source_id = ? and id = ?",
                        row -> row.uuid("id"),
                        event.source().value(),
                        event.id().value())
                .isPresent();
    }
}
