package dev.sluice.testkit;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Puts events with finished deliveries into the database, as the relay leaves them, their ledger
/// row included.
public final class Ended {

    private static final Random RANDOM = new Random(5);

    private Ended() {}

    /// Events with one delivery each, from ingest.
    public static List<EventId> events(
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
        int hour = (int) (Uuid7.millisOf(events.getFirst().value()) / 3_600_000);
        int minute = (int) (Uuid7.millisOf(events.getFirst().value()) / 60_000 % 60);
        db.run(tx -> {
            tx.updateEach(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                    values (?, ?, 'POST', 3, 1, 2, ''::bytea, '{}'::bytea)
                    """,
                    events.stream().map(event -> List.of(event.value(), source.value())).toList());
            tx.updateEach(
                    """
                    insert into delivery (id, finished_at, source_id, connection_id, status, trigger, attempts)
                    values (?, ?, ?, ?, ?, 1, 1)
                    """,
                    events.stream()
                            .map(event ->
                                    List.of(
                                            DeliveryId.of(event, 1).value(),
                                            at,
                                            source.value(),
                                            connection.value(),
                                            (int) status.number()))
                            .toList());
            tx.update(
                    """
                    insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims, counts, sizes)
                    values (?, ?, ?, ?, ?, ?::smallint[], ?, ?, ?)
                    """,
                    Some.id(),
                    source.value(),
                    List.of(1, 3, 2),
                    List.of(source.value(), connection.value(), connection.value()),
                    List.of(hour, hour, hour),
                    List.of(minute, 0, 0),
                    List.of(3, 1, (int) status.number()),
                    List.of(count, count, count),
                    List.of(2L * count, 0L, 0L));
        });
        return events;
    }
}
