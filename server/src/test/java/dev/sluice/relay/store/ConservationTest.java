package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.observe.audit.Conservation;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Whatever nodes do and in whatever order, each delivery that was created stands in exactly one
/// place: unfinished work, history, or its event's list of filtered ones.
@ResourceLock(Stored.ROOM)
class ConservationTest {

    private static final int SEEDS = 100;
    private static final int STEPS = 25;

    private static Stored stored;

    @BeforeAll
    static void open() {
        stored = new Stored();
    }

    @AfterAll
    static void close() {
        stored.close();
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
        // The audit comes to the same.
        var report = Conservation.check(stored.db, Stored.NOON, Stored.NOON.plusSeconds(3_600));
        assertThat(report.violations()).isEmpty();
        assertThat(report.events()).isEqualTo(stored.count("event"));
    }

    /// Deliveries that stand in no place or in more than one, and places that hold what was never
    /// created.
    private static List<String> misplaced(Route of) {
        return stored.db.call(tx ->
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
                        select coalesce(created.id, found.id) || ' stands in ' || coalesce(n, 0) || ' places' as fault
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

    /// Attempts in history are 1, 2, 3 … up to the one before the last, also where a late success
    /// was taken after others had been made.
    private static List<String> wrongAttempts(Route of) {
        return stored.db.call(tx ->
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

    /// The ledger counts each delivery made and each end once.
    private static List<String> miscounted(List<Route> routes) {
        var faults = new ArrayList<String>();
        for (var route : routes) {
            var id = route.connection().id().value();
            var ledger = stored.ledger(id);
            int made = ledger.getOrDefault("3/1", 0);
            int ended =
                    ledger.getOrDefault("2/3", 0)
                            + ledger.getOrDefault("2/4", 0)
                            + ledger.getOrDefault("2/5", 0);
            long work = count("delivery_work", id);
            long history = count("delivery", id);
            if (made != work + history || ended != history) {
                faults.add(id + ": " + ledger + " work " + work + " history " + history);
            }
        }
        return faults;
    }

    private static long count(String table, java.util.UUID connection) {
        return stored.db.call(tx ->
                tx.single(
                        "select count(*) as n from " + table + " where connection_id = ?",
                        row -> row.number("n"),
                        connection));
    }

    /// Two nodes that know things, some of them no longer true, and say them in any order.
    private static final class RandomRelay {

        private final Random random;
        private final long[] epochs;
        private final Route source = Some.route(Some.sourceId());
        private final List<Route> routes;

        /// All that was ever made, as it stood at some moment.
        private final List<Work> known = new ArrayList<>();

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
            var events = new Accepted[1 + random.nextInt(3)];
            for (int i = 0; i < events.length; i++) {
                events[i] = someEvent();
                for (int ordinal = 1; ordinal <= events[i].planned().size(); ordinal++) {
                    known.add(Stored.work(events[i], ordinal, 0));
                }
            }
            stored.put(someEpoch(), events);
        }

        private Accepted someEvent() {
            var id = Some.eventId();
            var planned = new ArrayList<Accepted.Planned>();
            for (var route : routes) {
                if (random.nextInt(4) > 0) {
                    planned.add(
                            new Accepted.Planned(
                                    DeliveryId.of(id, planned.size() + 1),
                                    route,
                                    random.nextBoolean()));
                }
            }
            var filtered = new ArrayList<ConnectionId>();
            for (int i = random.nextInt(3); i > 0; i--) {
                filtered.add(new ConnectionId(Some.id()));
            }
            return new Accepted(
                    id,
                    source.source().id(),
                    "POST",
                    Optional.empty(),
                    Checked.SKIPPED,
                    Some.payload("{}"),
                    planned,
                    filtered,
                    Stored.soon());
        }

        private void takeOver() {
            long gone = someEpoch();
            stored.db.run(tx -> NodeStore.releaseWork(tx, gone, Stored.NOON));
        }

        private void settle() {
            if (known.isEmpty()) {
                return;
            }
            var batch = new Settled[1 + random.nextInt(6)];
            for (int i = 0; i < batch.length; i++) {
                batch[i] = someResult();
            }
            long epoch = someEpoch();
            stored.write(epoch, batch);
            if (random.nextInt(4) == 0) {
                stored.write(epoch, batch); // its connection broke, so it says it again
            }
        }

        /// At the attempt at which the row stands, or did, or will.
        private Settled someResult() {
            var work = Stored.at(known.get(random.nextInt(known.size())), random.nextInt(3));
            return switch (random.nextInt(8)) {
                case 0 -> Stored.finished(work, DeliveryStatus.SUCCEEDED);
                case 1 -> Stored.finished(work, DeliveryStatus.FAILED);
                case 2 -> Stored.finished(work, DeliveryStatus.EXHAUSTED);
                case 3, 4 -> Stored.released(work, Stored.NOON);
                default -> Stored.retried(work, Stored.NOON.plusSeconds(random.nextInt(60)));
            };
        }
    }
}
