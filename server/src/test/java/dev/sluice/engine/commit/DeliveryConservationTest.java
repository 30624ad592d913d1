package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.node.NodeStore;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Tests that each created delivery is in exactly one place, whatever nodes do in whatever order.
/// The places are unfinished work, history, or its event's list of filtered connections.
@ResourceLock(StoreFixture.RESOURCE_LOCK)
class DeliveryConservationTest {

    private static final int SEEDS = 100;
    private static final int STEPS = 25;

    private static StoreFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new StoreFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @Test
    void every_delivery_stands_in_exactly_one_place() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var relay = new RandomRelay(seed);
            for (int step = 0; step < STEPS; step++) {
                relay.step();
            }
            assertThat(misplaced(relay.source)).as("seed " + seed).isEmpty();
            assertThat(wrongAttempts(relay.source)).as("attempts, seed " + seed).isEmpty();
            assertThat(miscounted(relay.routes)).as("usage, seed " + seed).isEmpty();
        }
        // The audit agrees.
        var report =
                DatabaseAuditor.check(
                        fixture.db, StoreFixture.NOON, StoreFixture.NOON.plusSeconds(3_600));
        assertThat(report.violations()).isEmpty();
        assertThat(report.events()).isEqualTo(fixture.count("event"));
    }

    /// Deliveries that are in no place or in several, and places that hold a delivery never
    /// created.
    private static List<String> misplaced(Route of) {
        return fixture.db.call(tx ->
                tx.query(
                        """
                        with ours as (
                          select id, fanout, coalesce(cardinality(filtered), 0) as filtered
                            from event
                           where source_id = ?),
                        created as (
                          select substr(id::text, 1, 33) || lpad(to_hex(ordinal), 3, '0') as id
                            from ours, generate_series(1, fanout) as ordinal),
                        places as (
                          select id::text from delivery_work where source_id = ?
                          union all
                          select id::text from delivery where source_id = ?
                          union all
                          select substr(id::text, 1, 33) || lpad(to_hex(ordinal), 3, '0')
                            from ours, generate_series(fanout - filtered + 1, fanout) as ordinal)
                        select coalesce(created.id, found.id) || ' is in ' || coalesce(n, 0) || ' places' as fault
                          from created
                          full join (select id, count(*) as n from places group by id) as found
                            on found.id = created.id
                         where created.id is null or n is distinct from 1
                        """,
                        row -> row.text("fault"),
                        of.source().id().value(),
                        of.source().id().value(),
                        of.source().id().value()));
    }

    /// Deliveries whose attempts in history are not 1, 2, 3 … up to the one before the last. This
    /// must hold too when a late success was accepted after further attempts.
    private static List<String> wrongAttempts(Route of) {
        return fixture.db.call(tx ->
                tx.query(
                        """
                        select place.id || ' ' || place.made || ' ' || count(number) as fault
                          from (select id, attempts as made from delivery_work where source_id = ?
                                union all
                                select id, attempts - 1 from delivery where source_id = ?) as place
                          left join attempt on delivery_id = place.id
                         group by place.id, place.made
                        having count(number) <> coalesce(max(number), 0) or count(number) <> place.made
                        """,
                        row -> row.text("fault"),
                        of.source().id().value(),
                        of.source().id().value()));
    }

    /// Connections whose deliveries or ends the ledger does not count exactly once.
    private static List<String> miscounted(List<Route> routes) {
        var faults = new ArrayList<String>();
        for (var route : routes) {
            var id = route.connection().id().value();
            var ledger = fixture.ledger(id);
            int made = ledger.getOrDefault(StoreFixture.UsageCount.deliveries(Trigger.INGEST), 0);
            int ended =
                    ledger.getOrDefault(
                                    StoreFixture.UsageCount.outcomes(DeliveryStatus.SUCCEEDED), 0)
                            + ledger.getOrDefault(
                                    StoreFixture.UsageCount.outcomes(DeliveryStatus.FAILED), 0)
                            + ledger.getOrDefault(
                                    StoreFixture.UsageCount.outcomes(DeliveryStatus.EXHAUSTED), 0);
            long work = count("delivery_work", id);
            long history = count("delivery", id);
            if (made != work + history || ended != history) {
                faults.add(id + ": " + ledger + " work " + work + " history " + history);
            }
        }
        return faults;
    }

    private static long count(String table, java.util.UUID connection) {
        return fixture.db.call(tx ->
                tx.single(
                        "select count(*) as n from " + table + " where connection_id = ?",
                        row -> row.number("n"),
                        connection));
    }

    /// Two nodes that report results in random order; some of what they know is outdated.
    private static final class RandomRelay {

        private final Random random;
        private final long[] epochs;
        private final Route source = Some.route(Some.sourceId());
        private final List<Route> routes;

        /// Every delivery ever created, as it was at some moment.
        private final List<UnfinishedDelivery> known = new ArrayList<>();

        RandomRelay(int seed) {
            random = new Random(seed);
            epochs = new long[] {1_000 + 2L * seed, 1_001 + 2L * seed};
            routes = List.of(source, Some.route(source.source().id()));
        }

        void step() {
            switch (random.nextInt(6)) {
                case 0, 1 -> accept();
                case 2 -> takeOver();
                default -> settle();
            }
        }

        private long someEpoch() {
            return epochs[random.nextInt(2)];
        }

        private void accept() {
            var events = new AcceptedEvent[1 + random.nextInt(3)];
            for (int i = 0; i < events.length; i++) {
                events[i] = someEvent();
                for (int ordinal = 1; ordinal <= events[i].deliveries().size(); ordinal++) {
                    known.add(StoreFixture.work(events[i], ordinal, 0));
                }
            }
            fixture.put(someEpoch(), events);
        }

        private AcceptedEvent someEvent() {
            var id = Some.eventId();
            var planned = new ArrayList<AcceptedEvent.PlannedDelivery>();
            for (var route : routes) {
                if (random.nextInt(4) > 0) {
                    planned.add(
                            new AcceptedEvent.PlannedDelivery(
                                    DeliveryId.of(id, planned.size() + 1),
                                    route,
                                    random.nextBoolean()));
                }
            }
            var filtered = new ArrayList<ConnectionId>();
            for (int i = random.nextInt(3); i > 0; i--) {
                filtered.add(new ConnectionId(Some.id()));
            }
            return new AcceptedEvent(
                    id,
                    source.source(),
                    "POST",
                    Optional.empty(),
                    EventVerification.SKIPPED,
                    Some.payload("{}"),
                    new AcceptedEvent.DeliveryPlan(planned, filtered),
                    StoreFixture.receiptDueSoon());
        }

        private void takeOver() {
            long gone = someEpoch();
            fixture.db.run(tx -> NodeStore.releaseWork(tx, gone, StoreFixture.NOON, 1_000));
        }

        private void settle() {
            if (known.isEmpty()) {
                return;
            }
            var batch = new DeliveryResult[1 + random.nextInt(6)];
            for (int i = 0; i < batch.length; i++) {
                batch[i] = someResult();
            }
            long epoch = someEpoch();
            fixture.write(epoch, batch);
            if (random.nextInt(4) == 0) {
                fixture.write(epoch, batch); // its connection broke, so it writes the batch again
            }
        }

        /// A random result that reports a past, the present or a future attempt number.
        private DeliveryResult someResult() {
            var delivery =
                    StoreFixture.at(known.get(random.nextInt(known.size())), random.nextInt(3));
            return switch (random.nextInt(8)) {
                case 0 -> StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED);
                case 1 -> StoreFixture.finished(delivery, DeliveryStatus.FAILED);
                case 2 -> StoreFixture.finished(delivery, DeliveryStatus.EXHAUSTED);
                case 3, 4 -> StoreFixture.released(delivery, StoreFixture.NOON);
                default ->
                        StoreFixture.retried(
                                delivery, StoreFixture.NOON.plusSeconds(random.nextInt(60)));
            };
        }
    }
}
