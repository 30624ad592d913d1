package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.CopyRows;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Trigger;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Writes batches of events with their work and usage in one transaction. Owned by one thread, so
/// that the memory of a batch serves the next one too.
final class EventStore {

    private final CopyRows events = new CopyRows();
    private final CopyRows work = new CopyRows();

    /// @param epoch owns the fresh deliveries
    /// @param now when the waiting ones are due
    void write(Tx tx, List<Accepted> batch, UUID batchId, long epoch, Instant now) {
        events.clear();
        work.clear();
        var ledger = new LedgerRow();
        for (var event : batch) {
            addEvent(event);
            ledger.event(
                    event.source(),
                    event.id(),
                    event.verification().status(),
                    event.payload().body().length);
            for (var connection : event.filtered()) {
                ledger.outcome(connection, event.id(), DeliveryStatus.FILTERED);
            }
            for (var planned : event.planned()) {
                addWork(event, planned, epoch, now);
                ledger.delivery(planned.connection(), event.id(), Trigger.INGEST);
            }
        }
        // First, because a prepared statement opens the transaction on its way, and a COPY does
        // not.
        ledger.write(tx, batchId, batch.getFirst().source());
        tx.copy(
                """
                copy event (id, source_id, method, verification, fanout, body_size, content_type,
                            filtered, verification_reason, headers, body)
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
    }

    private void addEvent(Accepted event) {
        events.row(11)
                .uuid(event.id().value())
                .uuid(event.source().value())
                .text(event.method())
                .int2(event.verification().status().number())
                .int2(event.fanout())
                .int4(event.payload().body().length)
                .text(event.contentType());
        if (event.filtered().isEmpty()) {
            events.nothing();
        } else {
            events.uuids(event.filtered().stream().map(ConnectionId::value).toList());
        }
        var reason = event.verification().reason();
        if (reason.isEmpty()) {
            events.nothing();
        } else {
            events.int2(reason.get().number());
        }
        events.bytes(event.payload().headerLines()).bytes(event.payload().body());
    }

    private void addWork(Accepted event, Accepted.Planned planned, long epoch, Instant now) {
        work.row(6).uuid(planned.id().value());
        if (planned.isFresh()) {
            work.nothing();
        } else {
            work.instant(now);
        }
        work.uuid(event.source().value()).uuid(planned.connection().value());
        if (planned.isFresh()) {
            work.int8(epoch);
        } else {
            work.nothing();
        }
        work.int2(Trigger.INGEST.number());
    }

    /// Whether the batch was committed: it was whole or not at all, so one event tells.
    static boolean isStored(Tx tx, Accepted event) {
        return tx.one(
                        "select id from event where source_id = ? and id = ?",
                        row -> row.uuid("id"),
                        event.source().value(),
                        event.id().value())
                .isPresent();
    }
}
