package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Cooldowns;
import dev.sluice.relay.send.Sender;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.wire.Succession;
import dev.sluice.relay.wire.WireSlots;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

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

/// Several lives of one data directory, each ended without notice while something is on the wire.
class PoisonTest {

    private static final Database DATABASE = TestCluster.newDatabase();

    @TempDir private Path directory;

    private final UUID home = UUID.randomUUID();
    private final Db db = TestCluster.open(DATABASE);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final List<Engine> lives = new ArrayList<>();

    /// Deliveries whose sending never comes back.
    private final Set<DeliveryId> deadly = ConcurrentHashMap.newKeySet();

    private final List<DeliveryId> sent = new CopyOnWriteArrayList<>();
    private final List<Integer> attemptNumbers = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);

    private Mortal wire = new Mortal(OnTheWire.UNNOTED);
    private Engine engine;
    private ConnectionId slow;
    private ConnectionId good;

    /// After its process has died nothing is noted any more.
    private static final class Mortal implements OnTheWire {
        private final OnTheWire notes;
        private boolean isDead;

        Mortal(OnTheWire notes) {
            this.notes = notes;
        }

        synchronized void die() {
            isDead = true;
        }

        @Override
        public synchronized int enter(Work work, long epoch, boolean isAlone) {
            return isDead ? -1 : notes.enter(work, epoch, isAlone);
        }

        @Override
        public synchronized void leave(int slot) {
            if (!isDead) {
                notes.leave(slot);
            }
        }

        @Override
        public synchronized void beginSolitude() {
            if (!isDead) {
                notes.beginSolitude();
            }
        }

        @Override
        public synchronized void endSolitude() {
            if (!isDead) {
                notes.endSolitude();
            }
        }

        @Override
        public void close() {
            notes.close();
        }
    }

    @BeforeEach
    void begin() {
        Given.nothing(db);
        new Partitions(db).makeAhead(clock.instant());
        engine = live();
        var source = engine.given.source();
        slow = engine.given.connection(source, engine.given.destination("slow.example", 1));
        good = engine.given.connection(source, engine.given.destination("good.example", 4));
        engine.learn();
    }

    @AfterEach
    void close() {
        over.countDown();
        lives.forEach(Engine::close);
        db.close();
    }

    private Path file() {
        return directory.resolve("wire.slots");
    }

    private Engine live() {
        return live(home, file());
    }

    private Engine live(UUID at, Path file) {
        var life =
                new Engine(
                        new Engine.Ways(DATABASE, DATABASE, DATABASE),
                        at,
                        clock,
                        new Random(lives.size()),
                        Cooldowns.STANDARD,
                        _ -> sender(),
                        pool -> wire = new Mortal(Succession.begin(file, pool)));
        lives.add(life);
        life.learn();
        return life;
    }

    private Sender sender() {
        return (parcel, _) -> {
            sent.add(parcel.delivery());
            attemptNumbers.add(parcel.attempt());
            return deadly.contains(parcel.delivery()) ? nothing() : answered(200);
        };
    }

    /// What the dead are answered nobody hears.
    private Outcome nothing() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Outcome.Unreachable(ErrorCode.INTERRUPTED, "dead", Duration.ZERO);
    }

    private static Outcome answered(int status) {
        return new Outcome.Answered(status, "", Duration.ofMillis(1), Optional.empty());
    }

    /// The process dies; the next one of the same data directory takes over.
    private void dieAndLiveAgain() {
        wire.die();
        engine = live();
    }

    private DeliveryId acceptDeadly() {
        var id = engine.newId();
        var delivery = DeliveryId.of(id, 1);
        deadly.add(delivery);
        engine.ingest(id, Some.payload("{}"), List.of(slow), true);
        awaitSent(delivery, 1);
        return delivery;
    }

    private void awaitSent(DeliveryId delivery, int times) {
        Engine.soon().until(() -> times(delivery) >= times);
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

    private void awaitStanding(DeliveryId delivery, String standing) {
        Engine.soon()
                .until(() -> {
                    engine.node.run();
                    engine.round();
                    engine.dispatcher.quarantine().run();
                    return engine.standing(delivery).equals(standing);
                });
    }

    @Test
    void who_kills_the_process_is_sent_alone_after_three_deaths_and_fails_after_two_more() {
        var poison = acceptDeadly();
        var behind = engine.accept(slow);
        for (int death = 1; death <= 2; death++) {
            dieAndLiveAgain();
            assertThat(recoveries(poison)).isEqualTo(death);
            assertThat(recoveries(behind)).as("queued behind it").isZero();
            engine.round();
            awaitSent(poison, death + 1);
        }

        dieAndLiveAgain();
        assertThat(recoveries(poison)).isEqualTo(3);
        engine.round();
        Engine.soon().until(() -> engine.standing(behind).equals("3 1"));
        assertThat(times(poison)).as("not among others").isEqualTo(3);

        for (int death = 4; death <= 5; death++) {
            Engine.soon()
                    .until(() -> {
                        engine.dispatcher.quarantine().run();
                        return engine.dispatcher.permitsLeft() == 0;
                    });
            awaitSent(poison, death);
            var meanwhile = engine.accept(good);
            assertThat(engine.standing(meanwhile)).isEqualTo("owned 0");
            assertThat(times(meanwhile)).isZero();

            dieAndLiveAgain();
            assertThat(recoveries(poison)).isEqualTo(death);
            assertThat(recoveries(meanwhile)).isZero();
            engine.round();
            Engine.soon().until(() -> engine.standing(meanwhile).equals("3 1"));
        }

        awaitStanding(poison, "4 0 12");
        assertThat(times(poison)).isEqualTo(5);
        assertThat(attemptNumbers).containsOnly(1);
        new Books(db).check("after five deaths");
    }

    @Test
    void one_that_was_only_unlucky_is_sent_alone_and_delivered() {
        var unlucky = acceptDeadly();
        for (int death = 1; death <= 3; death++) {
            dieAndLiveAgain();
            if (death < 3) {
                engine.round();
                awaitSent(unlucky, death + 1);
            }
        }
        deadly.clear();

        awaitStanding(unlucky, "3 1");

        Engine.soon().until(() -> engine.dispatcher.permitsLeft() == Dispatcher.PERMITS);
        var next = engine.accept(good);
        Engine.soon().until(() -> engine.standing(next).equals("3 1"));
        new Books(db).check("at the end");
    }

    @Test
    void what_waits_or_is_queued_in_five_deaths_is_not_counted() {
        acceptDeadly();
        var queued = engine.accept(slow);
        var waiting = engine.acceptWaiting(good);
        for (int death = 1; death <= 5; death++) {
            dieAndLiveAgain();
            assertThat(recoveries(queued)).isZero();
            assertThat(recoveries(waiting)).isZero();
            acceptDeadly();
        }
        assertThat(times(queued)).isZero();
        deadly.clear();
        dieAndLiveAgain();

        awaitStanding(waiting, "3 1");
        awaitStanding(queued, "3 1");
    }

    @Test
    void a_stop_in_good_order_does_not_count() {
        var slowOne = acceptDeadly();
        wire.close();

        dieAndLiveAgain();

        assertThat(recoveries(slowOne)).isZero();
    }

    /// Its answer is there, and the process dies before that is written.
    @Test
    void a_finished_attempt_does_not_count() {
        var id = engine.newId();
        var delivery = DeliveryId.of(id, 1);
        db.run(tx -> {
            tx.update("lock table delivery in access exclusive mode");
            engine.ingest(id, Some.payload("{}"), List.of(good), true);
            awaitSent(delivery, 1);
            Engine.soon().until(() -> WireSlots.traces(file(), WireSlots.boot()).isEmpty());
            assertThat(recoveries(delivery)).isZero();
            wire.die();
        });
    }

    @Test
    void the_take_over_by_another_node_counts_nothing() {
        var poison = acceptDeadly();
        var first = wire;
        var other = live(UUID.randomUUID(), directory.resolve("other.slots"));
        engine.loseLease();

        other.node.run();

        assertThat(recoveries(poison)).isZero();
        first.die();
        wire.die();
    }

    @Test
    void a_start_that_is_cut_short_while_it_counts_is_repeated_and_counts_once()
            throws IOException {
        var poison = acceptDeadly();
        wire.die();
        var asItWas = directory.resolve("copy");
        Files.copy(file(), asItWas);
        for (int start = 0; start < 3; start++) {
            Files.copy(asItWas, file(), StandardCopyOption.REPLACE_EXISTING);
            Succession.begin(file(), db);
        }

        engine = live();

        assertThat(recoveries(poison)).isEqualTo(1);
    }

    @Test
    void where_nothing_can_be_noted_everything_is_sent_all_the_same() throws IOException {
        wire.die();
        var nowhere = directory.resolve("missing").resolve("wire.slots");
        engine = live(home, nowhere);
        var delivery = engine.accept(good);

        Engine.soon().until(() -> engine.standing(delivery).equals("3 1"));
        assertThat(Files.exists(nowhere)).isFalse();
    }

    @Test
    void a_suspect_that_never_comes_to_be_alone_is_sent_among_others_and_not_convicted() {
        var poison = acceptDeadly();
        for (int death = 1; death <= 3; death++) {
            dieAndLiveAgain();
            if (death < 3) {
                engine.round();
                awaitSent(poison, death + 1);
            }
        }
        engine.round();
        var hanging = hangOnGood();
        for (int turn = 0; turn < Quarantine.MOST_TURNS; turn++) {
            engine.node.run();
            engine.dispatcher.quarantine().run();
            var meanwhile = engine.accept(good);
            clock.advance(Quarantine.MOST_WAIT);
            engine.dispatcher.quarantine().run();
            Engine.soon().until(() -> engine.standing(meanwhile).equals("3 1"));
            clock.advance(Duration.ofSeconds(90));
        }
        awaitSent(poison, 4);

        dieAndLiveAgain();

        assertThat(recoveries(poison)).isEqualTo(3);
        assertThat(recoveries(hanging)).isEqualTo(1);
    }

    private DeliveryId hangOnGood() {
        var id = engine.newId();
        var delivery = DeliveryId.of(id, 1);
        deadly.add(delivery);
        engine.ingest(id, Some.payload("{}"), List.of(good), true);
        awaitSent(delivery, 1);
        return delivery;
    }
}
