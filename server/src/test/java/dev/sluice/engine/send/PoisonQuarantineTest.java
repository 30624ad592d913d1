package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.node.InFlightRecovery;
import dev.sluice.engine.node.MappedInFlightRecorder;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/// Several processes in turn on one data directory, each killed while attempts are on the wire.
class PoisonQuarantineTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    @TempDir private Path directory;

    private final UUID dataDirectoryId = UUID.randomUUID();
    private final Db db = TestPostgres.open(DATABASE);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final List<DispatchHarness> harnesses = new ArrayList<>();

    /// Deliveries whose sending never returns.
    private final Set<DeliveryId> deadly = ConcurrentHashMap.newKeySet();

    private final List<DeliveryId> sent = new CopyOnWriteArrayList<>();
    private final List<Integer> attemptNumbers = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);

    private KillableInFlightRecorder recorder =
            new KillableInFlightRecorder(InFlightRecorder.NO_OP);
    private DispatchHarness harness;
    private ConnectionId slow;
    private ConnectionId good;

    /// A recorder that records nothing after its process died.
    private static final class KillableInFlightRecorder implements InFlightRecorder {
        private final InFlightRecorder delegate;
        private boolean isDead;

        KillableInFlightRecorder(InFlightRecorder delegate) {
            this.delegate = delegate;
        }

        synchronized void die() {
            isDead = true;
        }

        @Override
        public synchronized int recordStart(
                UnfinishedDelivery delivery, long epoch, boolean isAlone) {
            return isDead ? -1 : delegate.recordStart(delivery, epoch, isAlone);
        }

        @Override
        public synchronized void recordEnd(int slot) {
            if (!isDead) {
                delegate.recordEnd(slot);
            }
        }

        @Override
        public synchronized void beginIsolation() {
            if (!isDead) {
                delegate.beginIsolation();
            }
        }

        @Override
        public synchronized void endIsolation() {
            if (!isDead) {
                delegate.endIsolation();
            }
        }

        @Override
        public void close() {
            delegate.close();
        }
    }

    @BeforeEach
    void begin() {
        Given.clearTables(db);
        new PartitionStore(db).makeAhead(clock.instant());
        harness = live();
        var source = harness.given.source();
        slow = harness.given.connection(source, harness.given.destination("slow.example", 1));
        good = harness.given.connection(source, harness.given.destination("good.example", 4));
        harness.refreshConfiguration();
    }

    @AfterEach
    void close() {
        over.countDown();
        harnesses.forEach(DispatchHarness::close);
        db.close();
    }

    private Path file() {
        return directory.resolve("wire.slots");
    }

    private DispatchHarness live() {
        return live(dataDirectoryId, file());
    }

    private DispatchHarness live(UUID at, Path file) {
        var next =
                new DispatchHarness(
                        new DispatchHarness.DatabaseAddresses(DATABASE, DATABASE, DATABASE),
                        at,
                        clock,
                        new Random(harnesses.size()),
                        CooldownBackoff.STANDARD,
                        _ -> sender(),
                        pool ->
                                recorder =
                                        new KillableInFlightRecorder(
                                                InFlightRecovery.recoverAndOpen(file, at, pool)));
        harnesses.add(next);
        next.refreshConfiguration();
        return next;
    }

    private Sender sender() {
        return (request, _) -> {
            sent.add(request.delivery());
            attemptNumbers.add(request.attempt());
            return deadly.contains(request.delivery()) ? nothing() : answered(200);
        };
    }

    /// Waits for the end of the test: a dead process never sees an answer.
    private Outcome nothing() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Outcome.AttemptError(ErrorCode.INTERRUPTED, "dead", Duration.ZERO);
    }

    private static Outcome answered(int status) {
        return new Outcome.DestinationResponse(status, "", Duration.ofMillis(1), Optional.empty());
    }

    /// Kills the process and starts the next on the same data directory.
    private void dieAndLiveAgain() {
        recorder.die();
        harness = live();
    }

    private DeliveryId acceptDeadly() {
        var id = harness.newId();
        var delivery = DeliveryId.of(id, 1);
        deadly.add(delivery);
        harness.ingest(id, Some.payload("{}"), List.of(slow), true);
        awaitSent(delivery, 1);
        return delivery;
    }

    private void awaitSent(DeliveryId delivery, int times) {
        DispatchHarness.awaitSoon().until(() -> times(delivery) >= times);
    }

    private long times(DeliveryId delivery) {
        return sent.stream().filter(delivery::equals).count();
    }

    private int recoveries(DeliveryId delivery) {
        return db.call(tx ->
                tx.single(
                        "select recoveries from delivery_work where id = ?",
                        row -> row.integer("recoveries"),
                        delivery.value()));
    }

    private void awaitState(DeliveryId delivery, DeliveryState state) {
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.runNode();
                    harness.round();
                    harness.dispatcher.quarantine().run();
                    return harness.stateOf(delivery).equals(state);
                });
    }

    @Test
    void who_kills_the_process_is_sent_alone_after_three_deaths_and_fails_after_two_more() {
        var poison = acceptDeadly();
        var behind = harness.accept(slow);
        for (int death = 1; death <= 2; death++) {
            dieAndLiveAgain();
            assertThat(recoveries(poison)).isEqualTo(death);
            assertThat(recoveries(behind)).as("queued behind it").isZero();
            harness.round();
            awaitSent(poison, death + 1);
        }

        dieAndLiveAgain();
        assertThat(recoveries(poison)).isEqualTo(3);
        harness.round();
        DispatchHarness.awaitSoon()
                .until(() -> harness.stateOf(behind).equals(DeliveryState.succeeded(1)));
        assertThat(times(poison)).as("not sent beside others").isEqualTo(3);

        for (int death = 4; death <= 5; death++) {
            DispatchHarness.awaitSoon()
                    .until(() -> {
                        harness.dispatcher.quarantine().run();
                        return harness.dispatcher.permitsLeft() == 0;
                    });
            awaitSent(poison, death);
            var meanwhile = harness.accept(good);
            assertThat(harness.stateOf(meanwhile)).isEqualTo(DeliveryState.owned(0));
            assertThat(times(meanwhile)).isZero();

            dieAndLiveAgain();
            assertThat(recoveries(poison)).isEqualTo(death);
            assertThat(recoveries(meanwhile)).isZero();
            harness.round();
            DispatchHarness.awaitSoon()
                    .until(() -> harness.stateOf(meanwhile).equals(DeliveryState.succeeded(1)));
        }

        awaitState(poison, DeliveryState.failed(0, ErrorCode.INTERRUPTED));
        assertThat(times(poison)).isEqualTo(5);
        assertThat(attemptNumbers).containsOnly(1);
        new DeliveryConservationCheck(db).check("after five deaths");
    }

    @Test
    void one_that_was_only_unlucky_is_sent_alone_and_delivered() {
        var unlucky = acceptDeadly();
        for (int death = 1; death <= 3; death++) {
            dieAndLiveAgain();
            if (death < 3) {
                harness.round();
                awaitSent(unlucky, death + 1);
            }
        }
        deadly.clear();

        awaitState(unlucky, DeliveryState.succeeded(1));

        DispatchHarness.awaitSoon()
                .until(() -> harness.dispatcher.permitsLeft() == Dispatcher.MAX_ATTEMPTS_IN_FLIGHT);
        var next = harness.accept(good);
        DispatchHarness.awaitSoon()
                .until(() -> harness.stateOf(next).equals(DeliveryState.succeeded(1)));
        new DeliveryConservationCheck(db).check("at the end");
    }

    @Test
    void what_waits_or_is_queued_in_five_deaths_is_not_counted() {
        acceptDeadly();
        var queued = harness.accept(slow);
        var waiting = harness.acceptWaiting(good);
        for (int death = 1; death <= 5; death++) {
            dieAndLiveAgain();
            assertThat(recoveries(queued)).isZero();
            assertThat(recoveries(waiting)).isZero();
            acceptDeadly();
        }
        assertThat(times(queued)).isZero();
        deadly.clear();
        dieAndLiveAgain();

        awaitState(waiting, DeliveryState.succeeded(1));
        awaitState(queued, DeliveryState.succeeded(1));
    }

    @Test
    void a_stop_in_good_order_does_not_count() {
        var slowOne = acceptDeadly();
        recorder.close();

        dieAndLiveAgain();

        assertThat(recoveries(slowOne)).isZero();
    }

    /// The answer has arrived, and the process dies before it is written.
    @Test
    void a_finished_attempt_does_not_count() {
        var id = harness.newId();
        var delivery = DeliveryId.of(id, 1);
        db.run(tx -> {
            tx.update("lock table delivery in access exclusive mode");
            harness.ingest(id, Some.payload("{}"), List.of(good), true);
            awaitSent(delivery, 1);
            DispatchHarness.awaitSoon()
                    .until(() -> MappedInFlightRecorder.traces(file(), dataDirectoryId).isEmpty());
            assertThat(recoveries(delivery)).isZero();
            recorder.die();
        });
    }

    @Test
    void the_take_over_by_another_node_counts_nothing() {
        var poison = acceptDeadly();
        var first = recorder;
        var other = live(UUID.randomUUID(), directory.resolve("other.slots"));
        harness.loseLease();

        other.runNode();

        assertThat(recoveries(poison)).isZero();
        first.die();
        recorder.die();
    }

    @Test
    void a_start_that_is_cut_short_while_it_counts_is_repeated_and_counts_once()
            throws IOException {
        var poison = acceptDeadly();
        recorder.die();
        var asItWas = directory.resolve("copy");
        Files.copy(file(), asItWas);
        for (int start = 0; start < 3; start++) {
            Files.copy(asItWas, file(), StandardCopyOption.REPLACE_EXISTING);
            InFlightRecovery.recoverAndOpen(file(), dataDirectoryId, db);
        }

        harness = live();

        assertThat(recoveries(poison)).isEqualTo(1);
    }

    @Test
    void a_row_that_cannot_be_updated_keeps_no_server_from_starting_and_no_other_from_counting() {
        var damaged = acceptDeadly();
        var other = hangOnGood();
        recorder.die();
        db.run(tx -> {
            tx.update(
                    """
                    create function be_damaged() returns trigger language plpgsql as $$
                    begin
                      raise exception 'invalid page' using errcode = 'XX001';
                    end $$
                    """);
            tx.update(
                    "create trigger damaged before update on delivery_work for each row when"
                            + " (old.id = '"
                            + damaged.value()
                            + "') execute function be_damaged()");
        });
        try (var log = LogRecorder.of(InFlightRecovery.class)) {
            InFlightRecovery.recoverAndOpen(file(), dataDirectoryId, db).close();
            assertThat(log.values("in_flight_attempt.count_failed", "delivery_id"))
                    .containsExactly(damaged.toString());
        } finally {
            db.run(tx -> tx.update("drop function be_damaged cascade"));
        }

        assertThat(recoveries(damaged)).isZero();
        assertThat(recoveries(other)).isEqualTo(1);
    }

    @Test
    void where_nothing_can_be_noted_everything_is_sent_all_the_same() throws IOException {
        recorder.die();
        var nowhere = directory.resolve("missing").resolve("wire.slots");
        harness = live(dataDirectoryId, nowhere);
        var delivery = harness.accept(good);

        DispatchHarness.awaitSoon()
                .until(() -> harness.stateOf(delivery).equals(DeliveryState.succeeded(1)));
        assertThat(Files.exists(nowhere)).isFalse();
    }

    @Test
    void a_suspect_that_never_comes_to_be_alone_is_sent_among_others_and_not_convicted() {
        var poison = acceptDeadly();
        for (int death = 1; death <= 3; death++) {
            dieAndLiveAgain();
            if (death < 3) {
                harness.round();
                awaitSent(poison, death + 1);
            }
        }
        harness.round();
        var hanging = hangOnGood();
        for (int turn = 0; turn < Quarantine.MAX_TURNS; turn++) {
            harness.runNode();
            harness.dispatcher.quarantine().run();
            var meanwhile = harness.accept(good);
            clock.advance(Quarantine.DRAIN_TIMEOUT);
            harness.dispatcher.quarantine().run();
            DispatchHarness.awaitSoon()
                    .until(() -> harness.stateOf(meanwhile).equals(DeliveryState.succeeded(1)));
            clock.advance(Duration.ofSeconds(90));
        }
        awaitSent(poison, 4);

        dieAndLiveAgain();

        assertThat(recoveries(poison)).isEqualTo(3);
        assertThat(recoveries(hanging)).isEqualTo(1);
    }

    private DeliveryId hangOnGood() {
        var id = harness.newId();
        var delivery = DeliveryId.of(id, 1);
        deadly.add(delivery);
        harness.ingest(id, Some.payload("{}"), List.of(good), true);
        awaitSent(delivery, 1);
        return delivery;
    }
}
