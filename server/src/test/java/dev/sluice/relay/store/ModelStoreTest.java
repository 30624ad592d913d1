package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/// The model of the tables does what the SQL does: the same statements in the same order leave the
/// same rows and give the same answers. What the simulation finds is worth as much as this.
@ResourceLock(Stored.ROOM)
class ModelStoreTest {

    private static final int SEEDS = 100;
    private static final int STEPS = 40;
    private static final Instant NOON = Stored.NOON;
    private static final Duration LEASE = Duration.ofHours(1);

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
    void the_model_and_the_tables_hold_the_same_after_the_same() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Given.nothing(stored.db);
            var pair = new Pair(seed);
            for (int step = 0; step < STEPS; step++) {
                pair.step();
            }
            assertThat(pair.rowsOfModel()).as("seed " + seed).isEqualTo(rows());
        }
    }

    /// Every row of every table that the model has, as text.
    private static List<String> rows() {
        return stored.db.call(tx ->
                tx.query(
                        """
                        select 'work ' || id || ' ' || coalesce(owner::text, '-') || ' '
                               || coalesce((extract(epoch from next_at) * 1000)::bigint::text, '-')
                               || ' ' || attempts || ' ' || recoveries as line, 1 as part, id::text as place
                          from delivery_work
                        union all
                        select 'delivery ' || id || ' ' || status || ' ' || attempts || ' '
                               || coalesce(error_code::text, '-'), 2, id::text
                          from delivery
                        union all
                        select 'attempt ' || delivery_id || ' ' || number, 3, delivery_id::text || number
                          from attempt
                        union all
                        select 'lane ' || connection_id || ' ' || trigger || ' '
                               || case when wake_at = 'infinity' then '-'
                                       else (extract(epoch from wake_at) * 1000)::bigint::text end
                               || ' ' || coalesce(owner::text, '-'), 4, connection_id::text || trigger
                          from lane
                        union all
                        select 'node ' || epoch || ' ' || state, 5, lpad(epoch::text, 20, '0')
                          from node
                         order by 2, 3
                        """,
                        row -> row.text("line")));
    }

    /// The database and the model, told the same.
    private static final class Pair {

        private final Random random;
        private final UUID[] homes = {Some.id(), Some.id()};
        private final Route first = Some.route(Some.sourceId());
        private final List<Route> routes = List.of(first, Some.route(first.source().id()));
        private final List<Work> known = new ArrayList<>();
        private final List<Long> epochs = new ArrayList<>();
        private final ModelStore model;

        Pair(int seed) {
            random = new Random(seed);
            long last = stored.db.call(tx -> NodeStore.register(tx, homes[0], LEASE));
            stored.db.run(tx -> tx.update("delete from node"));
            model = new ModelStore(last, Set.of());
            register();
        }

        void step() {
            switch (random.nextInt(15)) {
                case 0, 1 -> accept();
                case 2 -> resend();
                case 3, 4, 5, 6 -> settle();
                case 7 -> wake();
                case 8 -> lease();
                case 9 -> releaseLane();
                case 10 -> read();
                case 11 -> register();
                case 12 -> takeOver();
                case 13 -> lookForLeaks();
                default -> nodes();
            }
        }

        private long someEpoch() {
            return epochs.get(random.nextInt(epochs.size()));
        }

        private Instant someTime() {
            return NOON.plusSeconds(random.nextInt(20));
        }

        private Lane someLane() {
            var route = routes.get(random.nextInt(2));
            var trigger = random.nextInt(3) == 0 ? Trigger.RESEND : Trigger.INGEST;
            return new Lane(route.connection().id(), trigger, first.source().id());
        }

        private void accept() {
            var batch = new ArrayList<Accepted>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                var event =
                        Stored.event(
                                random.nextBoolean(),
                                routes.subList(0, 1 + random.nextInt(2)).toArray(Route[]::new));
                for (int ordinal = 1; ordinal <= event.planned().size(); ordinal++) {
                    known.add(Stored.work(event, ordinal, 0));
                }
                batch.add(event);
            }
            long epoch = someEpoch();
            var now = someTime();
            stored.db.run(tx -> new EventStore().write(tx, batch, Some.id(), epoch, now));
            model.store(batch, epoch, now);
            var one = batch.getFirst();
            boolean isStored = stored.db.call(tx -> EventStore.isStored(tx, one));
            assertThat(model.isStored(one.id())).isEqualTo(isStored);
        }

        private void resend() {
            if (known.isEmpty()) {
                return;
            }
            var of = known.get(random.nextInt(known.size()));
            var work =
                    new Work(
                            DeliveryId.of(of.id().event(), DeliveryId.FIRST_RESEND + known.size()),
                            of.source(),
                            of.connection(),
                            Trigger.RESEND,
                            0,
                            Optional.of(NOON));
            var nextAt = someTime();
            stored.db.run(tx ->
                    tx.update(
                            """
                            insert into delivery_work (id, next_at, created_at, source_id, connection_id, trigger)
                            values (?, ?, ?, ?, ?, 2)
                            """,
                            work.id().value(),
                            nextAt,
                            NOON,
                            work.source().value(),
                            work.connection().value()));
            model.resend(work, nextAt);
            known.add(work);
        }

        private void settle() {
            if (known.isEmpty()) {
                return;
            }
            var batch = new ArrayList<Settled>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                batch.add(someResult());
            }
            long epoch = someEpoch();
            for (int times = random.nextInt(4) == 0 ? 2 : 1; times > 0; times--) {
                var written = stored.db.call(tx -> ResultStore.write(tx, batch, Some.id(), epoch));
                assertThat(model.write(batch, epoch)).isEqualTo(written);
            }
        }

        /// At the attempt at which the row stands, or did, or will.
        private Settled someResult() {
            var work = Stored.at(known.get(random.nextInt(known.size())), random.nextInt(3));
            return switch (random.nextInt(8)) {
                case 0 -> Stored.finished(work, DeliveryStatus.SUCCEEDED);
                case 1 -> Stored.finished(work, DeliveryStatus.FAILED);
                case 2 -> Stored.finished(work, DeliveryStatus.EXHAUSTED);
                case 3, 4 -> Stored.released(work, someTime());
                default -> Stored.retried(work, someTime());
            };
        }

        private void wake() {
            var wakes =
                    random.nextBoolean()
                            ? List.of(new LaneStore.Wake(someLane(), someTime()))
                            : model.sweep();
            assertThat(new HashSet<>(stored.db.call(LaneStore::sweep)))
                    .isEqualTo(new HashSet<>(model.sweep()));
            stored.db.run(tx -> LaneStore.wake(tx, wakes));
            model.wake(wakes);
        }

        private void lease() {
            long epoch = someEpoch();
            var now = someTime();
            var leased = stored.db.call(tx -> LaneStore.lease(tx, epoch, now, 100));
            assertThat(model.lease(epoch, now, 100)).containsExactlyInAnyOrderElementsOf(leased);
            long other = someEpoch();
            assertThat(model.leased(other))
                    .containsExactlyInAnyOrderElementsOf(
                            stored.db.call(tx -> LaneStore.leased(tx, other)));
        }

        private void releaseLane() {
            var lane = someLane();
            long epoch = someEpoch();
            Optional<Instant> wakeAt =
                    random.nextInt(3) == 0 ? Optional.empty() : Optional.of(someTime());
            stored.db.run(tx -> LaneStore.release(tx, lane, epoch, wakeAt));
            model.release(lane, epoch, wakeAt);
        }

        private void read() {
            var lane = someLane();
            var until = someTime();
            var after = someTime().minusSeconds(10);
            var afterId = known.isEmpty() ? new UUID(0, 0) : known.getFirst().id().value();
            int limit = 1 + random.nextInt(4);
            assertThat(model.due(lane, until, after, afterId, limit))
                    .isEqualTo(
                            stored.db.call(
                                    tx -> LaneStore.due(tx, lane, until, after, afterId, limit)));
            assertThat(model.firstDue(lane))
                    .isEqualTo(stored.db.call(tx -> LaneStore.firstDue(tx, lane)));
            var events = known.stream().map(work -> work.id().event()).distinct().toList();
            var source = first.source().id();
            assertThat(model.payloads(source, events).keySet())
                    .isEqualTo(
                            stored.db.call(tx -> LaneStore.payloads(tx, source, events)).keySet());
        }

        private void register() {
            var home = homes[random.nextInt(2)];
            long epoch = stored.db.call(tx -> NodeStore.register(tx, home, LEASE));
            assertThat(model.nodes().register(home, LEASE, NOON)).isEqualTo(epoch);
            epochs.add(epoch);
        }

        private void takeOver() {
            long gone = someEpoch();
            var now = someTime();
            assertThat(model.releaseWork(gone, now))
                    .isEqualTo(stored.db.call(tx -> NodeStore.releaseWork(tx, gone, now)));
            stored.db.run(tx -> NodeStore.releaseLanes(tx, gone, now));
            model.releaseLanes(gone, now);
            if (random.nextBoolean()) {
                stored.db.run(tx -> NodeStore.forget(tx, gone));
                model.nodes().forget(gone);
            }
        }

        private void lookForLeaks() {
            long epoch = someEpoch();
            var before = NOON.plusMillis(random.nextInt(2_000) - 1_000);
            var owned = stored.db.call(tx -> WorkStore.ownedSince(tx, epoch, before));
            assertThat(model.ownedSince(epoch, Uuid7.floor(before)))
                    .containsExactlyInAnyOrderElementsOf(owned);
            assertThat(model.owners()).isEqualTo(stored.db.call(WorkStore::owners));
            assertThat(model.laneOwners()).isEqualTo(stored.db.call(LaneStore::owners));
            if (!owned.isEmpty()) {
                var leaked = owned.subList(0, 1);
                stored.db.run(tx -> WorkStore.release(tx, leaked, epoch, NOON));
                model.release(leaked, epoch, NOON);
            }
        }

        private void nodes() {
            long epoch = someEpoch();
            switch (random.nextInt(4)) {
                case 0 ->
                        assertThat(model.nodes().heartbeat(epoch, LEASE, NOON))
                                .isEqualTo(
                                        stored.db.call(
                                                tx -> NodeStore.heartbeat(tx, epoch, LEASE)));
                case 1 -> {
                    stored.db.run(tx -> NodeStore.leave(tx, epoch));
                    model.nodes().leave(epoch);
                }
                case 2 -> {
                    stored.db.run(tx ->
                            tx.update(
                                    "update node set lease_until = now() - interval '1 second'"
                                            + " where epoch = ?",
                                    epoch));
                    model.nodes().expire(epoch, NOON);
                }
                default -> {
                    var home = homes[random.nextInt(2)];
                    assertThat(model.nodes().declareDead(epoch, home, NOON))
                            .containsExactlyInAnyOrderElementsOf(
                                    stored.db.call(tx -> NodeStore.declareDead(tx, epoch, home)));
                }
            }
            assertThat(model.nodes().gone())
                    .containsExactlyInAnyOrderElementsOf(stored.db.call(NodeStore::gone));
            assertThat(model.nodes().epochs()).isEqualTo(stored.db.call(NodeStore::epochs));
        }

        List<String> rowsOfModel() {
            var rows = new ArrayList<String>();
            for (var row : model.work()) {
                rows.add(
                        "work %s %s %s %s %s"
                                .formatted(
                                        row.id(),
                                        row.owner().map(Object::toString).orElse("-"),
                                        millis(row.nextAt()),
                                        row.work().attempts(),
                                        row.recoveries()));
            }
            model.history()
                    .forEach((id, ended) ->
                            rows.add(
                                    "delivery %s %s %s %s"
                                            .formatted(
                                                    id,
                                                    ended.status().number(),
                                                    ended.attempts(),
                                                    ended.error()
                                                            .map(code ->
                                                                    Short.toString(code.number()))
                                                            .orElse("-"))));
            model.attemptRows().forEach(row -> rows.add("attempt " + row));
            for (var row : model.lanes()) {
                rows.add(
                        "lane %s %s %s %s"
                                .formatted(
                                        row.lane().connection().value(),
                                        row.lane().trigger().number(),
                                        millis(row.wakeAt()),
                                        row.owner().map(Object::toString).orElse("-")));
            }
            for (long epoch : model.nodes().epochs()) {
                rows.add("node " + epoch + " " + model.nodes().row(epoch).orElseThrow().state());
            }
            return rows;
        }

        private static String millis(Optional<Instant> instant) {
            return instant.map(at -> Long.toString(at.toEpochMilli())).orElse("-");
        }
    }
}
