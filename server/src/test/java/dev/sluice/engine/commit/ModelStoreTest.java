package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.node.NodeStore;
import dev.sluice.engine.node.OwnedDeliveryStore;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/// Tests that [ModelStore] behaves like the SQL: the same statements in the same order leave the
/// same rows and return the same results. Simulations can be trusted only as far as this holds.
@ResourceLock(StoreFixture.RESOURCE_LOCK)
class ModelStoreTest {

    private static final int SEEDS = 100;
    private static final int STEPS = 40;
    private static final Instant NOON = StoreFixture.NOON;
    private static final Duration LEASE = Duration.ofHours(1);

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
    void the_model_and_the_tables_hold_the_same_after_the_same() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Given.clearTables(fixture.db);
            var pair = new ModelAndDatabase(seed);
            for (int step = 0; step < STEPS; step++) {
                pair.step();
            }
            assertThat(pair.rowsOfModel()).as("seed " + seed).isEqualTo(rows());
        }
    }

    private record WorkRow(
            UUID id,
            Optional<Long> owner,
            Optional<Instant> nextAt,
            int attempts,
            int recoveries) {}

    private record DeliveryRow(UUID id, int status, int attempts, Optional<Integer> error) {}

    private record AttemptRow(UUID delivery, int number) {}

    /// @param wakeAt empty for never
    private record LaneRow(
            UUID connection, int trigger, Optional<Instant> wakeAt, Optional<Long> owner) {}

    private record NodeRow(long epoch, String state) {}

    /// Every row of every table that the model has.
    private record TableRows(
            List<WorkRow> work,
            List<DeliveryRow> deliveries,
            List<AttemptRow> attempts,
            List<LaneRow> lanes,
            List<NodeRow> nodes) {}

    private static TableRows rows() {
        return fixture.db.call(tx ->
                new TableRows(
                        tx.query(
                                "select * from delivery_work order by id",
                                row ->
                                        new WorkRow(
                                                row.uuid("id"),
                                                owner(row),
                                                row.instantOrNone("next_at"),
                                                row.integer("attempts"),
                                                row.integer("recoveries"))),
                        tx.query(
                                "select * from delivery order by id",
                                row ->
                                        new DeliveryRow(
                                                row.uuid("id"),
                                                row.integer("status"),
                                                row.integer("attempts"),
                                                row.integerOrNone("error_code"))),
                        tx.query(
                                "select delivery_id, number from attempt order by 1, 2",
                                row ->
                                        new AttemptRow(
                                                row.uuid("delivery_id"), row.integer("number"))),
                        tx.query(
                                """
                                select connection_id, trigger, nullif(wake_at, 'infinity') as wake_at, owner
                                  from lane
                                 order by connection_id, trigger
                                """,
                                row ->
                                        new LaneRow(
                                                row.uuid("connection_id"),
                                                row.integer("trigger"),
                                                row.instantOrNone("wake_at"),
                                                owner(row))),
                        tx.query(
                                "select epoch, state from node order by epoch",
                                row -> new NodeRow(row.number("epoch"), row.text("state")))));
    }

    private static Optional<Long> owner(Row row) throws SQLException {
        return row.isNull("owner") ? Optional.empty() : Optional.of(row.number("owner"));
    }

    /// The database and the model, which receive the same calls.
    private static final class ModelAndDatabase {

        private final Random random;
        private final UUID[] homes = {Some.id(), Some.id()};
        private final Route first = Some.route(Some.sourceId());
        private final List<Route> routes = List.of(first, Some.route(first.source().id()));
        private final List<UnfinishedDelivery> known = new ArrayList<>();
        private final List<Long> epochs = new ArrayList<>();
        private final ModelStore model;

        ModelAndDatabase(int seed) {
            random = new Random(seed);
            long last = fixture.db.call(tx -> NodeStore.register(tx, homes[0], LEASE));
            fixture.db.run(tx -> tx.update("delete from node"));
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
            var batch = new ArrayList<AcceptedEvent>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                var event =
                        StoreFixture.event(
                                random.nextBoolean(),
                                routes.subList(0, 1 + random.nextInt(2)).toArray(Route[]::new));
                for (int ordinal = 1; ordinal <= event.deliveries().size(); ordinal++) {
                    known.add(StoreFixture.work(event, ordinal, 0));
                }
                batch.add(event);
            }
            long epoch = someEpoch();
            var now = someTime();
            fixture.db.run(tx -> new EventStore().write(tx, batch, Some.id(), epoch, now));
            model.store(batch, epoch, now);
            var one = batch.getFirst();
            boolean isStored = fixture.db.call(tx -> EventStore.isStored(tx, one));
            assertThat(model.isStored(one.id())).isEqualTo(isStored);
        }

        private void resend() {
            if (known.isEmpty()) {
                return;
            }
            var of = known.get(random.nextInt(known.size()));
            var delivery =
                    new UnfinishedDelivery(
                            DeliveryId.of(
                                    of.id().event(), DeliveryId.MIN_RESEND_ORDINAL + known.size()),
                            of.source(),
                            of.connection(),
                            Trigger.RESEND,
                            0,
                            Optional.of(NOON));
            var nextAt = someTime();
            var row =
                    GivenRows.WorkRow.waiting(
                                    delivery.id(), delivery.source(), delivery.connection(), nextAt)
                            .withCreatedAt(NOON);
            fixture.db.run(tx -> GivenRows.insertWork(tx, List.of(row)));
            model.resend(delivery, nextAt);
            known.add(delivery);
        }

        private void settle() {
            if (known.isEmpty()) {
                return;
            }
            var batch = new ArrayList<DeliveryResult>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                batch.add(someResult());
            }
            long epoch = someEpoch();
            for (int times = random.nextInt(4) == 0 ? 2 : 1; times > 0; times--) {
                var written = fixture.db.call(tx -> ResultStore.write(tx, batch, Some.id(), epoch));
                assertThat(model.write(batch, epoch)).isEqualTo(written);
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
                case 3, 4 -> StoreFixture.released(delivery, someTime());
                default -> StoreFixture.retried(delivery, someTime());
            };
        }

        private void wake() {
            var wakes =
                    random.nextBoolean()
                            ? List.of(new LaneStore.LaneWake(someLane(), someTime()))
                            : model.sweep();
            assertThat(fixture.db.call(LaneStore::sweep))
                    .extracting(LaneStore.WaitingLane::needed)
                    .containsExactlyInAnyOrderElementsOf(model.sweep());
            boolean isSweep = random.nextBoolean();
            fixture.db.run(tx -> {
                if (isSweep) {
                    LaneStore.wakeUnleased(tx, wakes);
                } else {
                    LaneStore.wake(tx, wakes);
                }
            });
            model.wake(wakes, isSweep);
        }

        private void lease() {
            long epoch = someEpoch();
            var now = someTime();
            var due = fixture.db.call(tx -> LaneStore.dueFor(tx, epoch, now, List.of(), 100));
            assertThat(model.dueFor(epoch, now, 100)).containsExactlyInAnyOrderElementsOf(due);
            var wanted = due.stream().map(each -> each.leased().lane()).limit(2).toList();
            var leased = fixture.db.call(tx -> LaneStore.lease(tx, epoch, now, wanted));
            assertThat(model.lease(epoch, now, wanted)).containsExactlyInAnyOrderElementsOf(leased);
            long other = someEpoch();
            assertThat(model.leased(other))
                    .containsExactlyInAnyOrderElementsOf(
                            fixture.db.call(tx -> LaneStore.leased(tx, other)));
        }

        private void releaseLane() {
            var lane = someLane();
            long epoch = someEpoch();
            Optional<Instant> wakeAt =
                    random.nextInt(3) == 0 ? Optional.empty() : Optional.of(someTime());
            fixture.db.run(tx -> LaneStore.release(tx, lane, epoch, wakeAt));
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
                            fixture.db.call(
                                    tx -> LaneStore.due(tx, lane, until, after, afterId, limit)));
            assertThat(model.firstDue(lane))
                    .isEqualTo(fixture.db.call(tx -> LaneStore.firstDue(tx, lane)));
            var events = known.stream().map(delivery -> delivery.id().event()).distinct().toList();
            var source = first.source().id();
            assertThat(model.payloads(source, events).keySet())
                    .isEqualTo(
                            fixture.db.call(tx -> LaneStore.payloads(tx, source, events)).keySet());
        }

        private void register() {
            var home = homes[random.nextInt(2)];
            long epoch = fixture.db.call(tx -> NodeStore.register(tx, home, LEASE));
            assertThat(model.nodes().register(home, LEASE, NOON)).isEqualTo(epoch);
            epochs.add(epoch);
        }

        /// Declares a node dead by its lease as it is, or as it was a second ago.
        private void declareStill(long epoch) {
            var leases = fixture.db.call(NodeStore::liveLeases);
            var modelLeases = model.nodes().liveLeases();
            assertThat(modelLeases.keySet()).isEqualTo(leases.keySet());
            int late = random.nextInt(2);
            var seen = leases.getOrDefault(epoch, NOON).minusSeconds(late);
            var seenInModel = modelLeases.getOrDefault(epoch, NOON).minusSeconds(late);
            assertThat(model.nodes().declareDead(epoch, seenInModel))
                    .isEqualTo(fixture.db.call(tx -> NodeStore.declareDead(tx, epoch, seen)));
        }

        private void takeOver() {
            long gone = someEpoch();
            var now = someTime();
            assertThat(model.releaseWork(gone, now, 1_000))
                    .isEqualTo(fixture.db.call(tx -> NodeStore.releaseWork(tx, gone, now, 1_000)));
            fixture.db.run(tx -> NodeStore.releaseLanes(tx, gone, now));
            model.releaseLanes(gone, now);
            if (random.nextBoolean()) {
                fixture.db.run(tx -> NodeStore.delete(tx, gone));
                model.nodes().forget(gone);
            }
        }

        private void lookForLeaks() {
            long epoch = someEpoch();
            var before = NOON.plusMillis(random.nextInt(2_000) - 1_000);
            var owned = fixture.db.call(tx -> OwnedDeliveryStore.ownedBefore(tx, epoch, before));
            assertThat(model.ownedSince(epoch, Uuid7.floor(before)))
                    .containsExactlyInAnyOrderElementsOf(owned);
            assertThat(model.owners()).isEqualTo(fixture.db.call(OwnedDeliveryStore::owners));
            assertThat(model.laneOwners()).isEqualTo(fixture.db.call(LaneStore::owners));
            if (!owned.isEmpty()) {
                var leaked = owned.subList(0, 1);
                fixture.db.run(tx -> OwnedDeliveryStore.release(tx, leaked, epoch, NOON));
                model.release(leaked, epoch, NOON);
            }
        }

        private void nodes() {
            long epoch = someEpoch();
            switch (random.nextInt(5)) {
                case 0 ->
                        assertThat(model.nodes().heartbeat(epoch, LEASE, NOON))
                                .isEqualTo(
                                        fixture.db.call(
                                                tx -> NodeStore.heartbeat(tx, epoch, LEASE)));
                case 1 -> {
                    fixture.db.run(tx -> NodeStore.leave(tx, epoch));
                    model.nodes().leave(epoch);
                }
                case 2 -> {
                    fixture.db.run(tx ->
                            tx.update(
                                    "update node set lease_until = now() - interval '1 second'"
                                            + " where epoch = ?",
                                    epoch));
                    model.nodes().expire(epoch, NOON);
                }
                case 3 -> {
                    var home = homes[random.nextInt(2)];
                    assertThat(model.nodes().declareDead(epoch, home, NOON))
                            .containsExactlyInAnyOrderElementsOf(
                                    fixture.db.call(tx -> NodeStore.declareDead(tx, epoch, home)));
                }
                default -> declareStill(epoch);
            }
            assertThat(model.nodes().gone())
                    .containsExactlyInAnyOrderElementsOf(fixture.db.call(NodeStore::goneEpochs));
            assertThat(model.nodes().epochs()).isEqualTo(fixture.db.call(NodeStore::epochs));
        }

        TableRows rowsOfModel() {
            return new TableRows(
                    model.work().stream()
                            .map(row ->
                                    new WorkRow(
                                            row.id().value(),
                                            row.owner(),
                                            row.nextAt(),
                                            row.delivery().attempts(),
                                            row.recoveries()))
                            .toList(),
                    model.history().entrySet().stream()
                            .map(row ->
                                    new DeliveryRow(
                                            row.getKey(),
                                            row.getValue().status().number(),
                                            row.getValue().attempts(),
                                            row.getValue()
                                                    .error()
                                                    .map(code -> (int) code.number())))
                            .toList(),
                    model.attempts().entrySet().stream()
                            .flatMap(row ->
                                    row.getValue().stream()
                                            .map(number -> new AttemptRow(row.getKey(), number)))
                            .toList(),
                    model.lanes().stream()
                            .map(row ->
                                    new LaneRow(
                                            row.lane().connection().value(),
                                            row.lane().trigger().number(),
                                            row.wakeAt(),
                                            row.owner()))
                            .toList(),
                    model.nodes().epochs().stream()
                            .map(epoch ->
                                    new NodeRow(
                                            epoch, model.nodes().row(epoch).orElseThrow().state()))
                            .toList());
        }
    }
}
