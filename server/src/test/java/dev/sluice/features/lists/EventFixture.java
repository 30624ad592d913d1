package dev.sluice.features.lists;

import dev.sluice.engine.EventId;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/// Inserts events and their ledger rows as ingest does, and keeps the same in memory for
/// comparison.
final class EventFixture {

    record FixtureEvent(UUID id, SourceId source, VerificationStatus verification) {}

    private final Db db;
    private final List<FixtureEvent> all = new ArrayList<>();

    EventFixture(Db db) {
        this.db = db;
    }

    FixtureEvent add(SourceId source, Instant at, VerificationStatus verification) {
        return add(List.of(new FixtureEvent(Some.eventId(at).value(), source, verification)))
                .getFirst();
    }

    /// Inserts the events as one batch, with one ledger row.
    List<FixtureEvent> add(List<FixtureEvent> events) {
        db.run(tx -> {
            GivenRows.insertEvents(tx, events.stream().map(EventFixture::row).toList());
            GivenRows.insertLedger(
                    tx,
                    events.getFirst().source().value(),
                    events.stream()
                            .map(event ->
                                    GivenRows.UsageRow.event(
                                            event.source(),
                                            receivedAt(event),
                                            event.verification(),
                                            2))
                            .toList());
        });
        all.addAll(events);
        return events;
    }

    private static GivenRows.EventRow row(FixtureEvent event) {
        return new GivenRows.EventRow(new EventId(event.id()), event.source(), 0)
                .withVerification(event.verification());
    }

    void fold() {
        db.run(LedgerStore::fold);
    }

    static Instant receivedAt(FixtureEvent event) {
        return Uuid7.timeOf(event.id());
    }

    /// The events, newest first.
    List<FixtureEvent> all() {
        return all.stream()
                .sorted(Comparator.comparing(FixtureEvent::id, Uuid7.UNSIGNED_ORDER).reversed())
                .toList();
    }

    /// Updates the statistics, so that PostgreSQL plans as on a database that has run for a while.
    static void analyze(Tx tx) {
        tx.update("analyze");
    }
}
