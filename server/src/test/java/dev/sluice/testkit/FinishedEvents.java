package dev.sluice.testkit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.GivenRows.UsageRow;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/// Writes events with one finished delivery each, and their ledger row, as the relay does.
public final class FinishedEvents {

    private static final Random RANDOM = new Random(5);

    private FinishedEvents() {}

    /// Inserts `count` events, each with one delivery that ingest made.
    public static List<EventId> insert(
            Db db,
            SourceId source,
            ConnectionId connection,
            DeliveryStatus status,
            Instant at,
            int count) {
        var ids = new Uuid7(() -> at, RANDOM);
        var events = new ArrayList<EventId>();
        for (int i = 0; i < count; i++) {
            events.add(new EventId(ids.next(12)));
        }
        var deliveries =
                events.stream()
                        .map(event ->
                                new GivenRows.DeliveryRow(
                                        DeliveryId.of(event, 1), source, connection, status, at))
                        .toList();
        var first = deliveries.getFirst();
        db.run(tx -> {
            GivenRows.insertEvents(
                    tx,
                    events.stream()
                            .map(event -> new GivenRows.EventRow(event, source, 1))
                            .toList());
            GivenRows.insertDeliveries(tx, deliveries);
            GivenRows.insertLedger(
                    tx,
                    source.value(),
                    Stream.of(
                                    UsageRow.event(source, at, VerificationStatus.SKIPPED, 2),
                                    UsageRow.delivery(first.id(), connection),
                                    UsageRow.outcome(first.id(), connection, status))
                            .map(usage -> usage.times(count))
                            .toList());
        });
        return events;
    }
}
