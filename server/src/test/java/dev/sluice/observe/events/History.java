package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Verification;
import dev.sluice.relay.store.Ledger;
import dev.sluice.testkit.Some;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/// Events as ingest leaves them, their ledger row included, and the same in memory to compare with.
final class History {

    record Past(UUID id, SourceId source, Verification verification) {}

    private final Db db;
    private final List<Past> all = new ArrayList<>();

    History(Db db) {
        this.db = db;
    }

    Past add(SourceId source, Instant at, Verification verification) {
        return add(List.of(new Past(Some.eventId(at).value(), source, verification))).getFirst();
    }

    /// As one batch.
    List<Past> add(List<Past> events) {
        db.run(tx -> {
            tx.updateEach(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                    values (?, ?, 'POST', ?, 0, 2, ''::bytea, '{}'::bytea)
                    """,
                    events.stream()
                            .map(event ->
                                    List.of(
                                            event.id(),
                                            event.source().value(),
                                            event.verification().number()))
                            .toList());
            tx.update(
                    """
                    insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims, counts, sizes)
                    values (?, ?, ?, ?, ?, ?::smallint[], ?, ?, ?)
                    """,
                    Some.id(),
                    events.getFirst().source().value(),
                    events.stream().map(_ -> 1).toList(),
                    events.stream().map(event -> event.source().value()).toList(),
                    events.stream().map(event -> (int) (minute(event) / 60)).toList(),
                    events.stream().map(event -> (int) (minute(event) % 60)).toList(),
                    events.stream().map(event -> (int) event.verification().number()).toList(),
                    events.stream().map(_ -> 1).toList(),
                    events.stream().map(_ -> 2L).toList());
        });
        all.addAll(events);
        return events;
    }

    private static long minute(Past event) {
        return Uuid7.timeOf(event.id()).toEpochMilli() / 60_000;
    }

    void fold() {
        db.run(Ledger::fold);
    }

    static Instant receivedAt(Past event) {
        return Uuid7.timeOf(event.id());
    }

    /// Newest first.
    List<Past> all() {
        return all.stream().sorted(Comparator.comparing(Past::id, Uuid7.ORDER).reversed()).toList();
    }

    /// So that plans are made as on a database that has run for a while.
    static void analyze(Tx tx) {
        tx.update("analyze");
    }
}
