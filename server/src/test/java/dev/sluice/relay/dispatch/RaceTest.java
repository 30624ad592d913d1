package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.relay.Payload;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.upkeep.Folding;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TcpProxy.Cut;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// A process is killed at a named point, another takes over, and nothing is lost; some times in a
/// row on one database, with another load each time. `-Dsluice.rounds=50` makes it fifty.
///
/// A run prints its seed when it fails; `-Dsluice.seed=…` repeats its choices, though not the
/// scheduling of its threads.
class RaceTest {

    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 2);
    private static final List<Cut> CUTS = List.of(Cut.values());
    private static final Database DATABASE = TestCluster.newDatabase();

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Db db = emptied();
    private final Books books = new Books(db);
    private final Outside outside = new Outside();
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Given given = new Given(db);
    private final SourceId source = given.source();
    private final ConnectionId good = to(Outside.GOOD);
    private final ConnectionId flaky = to(Outside.FLAKY);
    private final ConnectionId gone = to(Outside.GONE);
    private final List<Life> alive = new ArrayList<>();
    private final List<Thread> burials = new ArrayList<>();

    private static Db emptied() {
        var db = TestCluster.open(DATABASE);
        Given.nothing(db);
        new Partitions(db).makeAhead(Some.NOON);
        return db;
    }

    private ConnectionId to(String host) {
        return given.connection(source, given.destination(host, 8));
    }

    @AfterEach
    void close() throws InterruptedException {
        outside.letGo();
        alive.forEach(this::bury);
        for (var burial : burials) {
            assertThat(burial.join(Duration.ofSeconds(30))).as("a dead process ends").isTrue();
        }
        db.close();
    }

    /// Where a process is killed. Each leaves it dead.
    enum Point {
        /// Before, with and after the commit of a batch; its senders are told nothing.
        INGEST_COMMIT {
            @Override
            void kill(RaceTest test, Life life, int round) throws InterruptedException {
                life.dieAtCommit(Life.Way.JOURNAL, 1, cut(round));
                test.offerSome(life);
                life.awaitDeath();
            }
        },
        /// A receiver has the request; no result is written.
        AFTER_SEND {
            @Override
            void kill(RaceTest test, Life life, int round) throws InterruptedException {
                life.dieAtArrival(1 + test.random.nextInt(4));
                for (int i = 0; i < 4; i++) {
                    test.offerTo(life, List.of(test.good));
                }
                test.offerSome(life);
                life.awaitDeath();
            }
        },
        /// Before, with and after the commit of results that end deliveries.
        FINISH_COMMIT {
            @Override
            void kill(RaceTest test, Life life, int round) throws InterruptedException {
                life.dieAtCommit(Life.Way.RESULTS, 1, cut(round));
                for (int i = test.random.nextInt(8); i >= 0; i--) {
                    test.offerTo(
                            life,
                            test.random.nextBoolean() ? List.of(test.good) : List.of(test.gone));
                }
                life.awaitDeath();
            }
        },
        /// Before, with and after the commit of results after which deliveries are tried again.
        RETRY_COMMIT {
            @Override
            void kill(RaceTest test, Life life, int round) throws InterruptedException {
                life.dieAtCommit(Life.Way.RESULTS, 1, cut(round));
                for (int i = test.random.nextInt(8); i >= 0; i--) {
                    test.offerTo(life, List.of(test.flaky));
                }
                life.awaitDeath();
            }
        },
        /// One died with work in memory; the one that takes over dies at one of its steps:
        /// heartbeat, marking dead, looking who is gone, releasing work, releasing lanes, waking,
        /// forgetting.
        TAKE_OVER {
            @Override
            void kill(RaceTest test, Life life, int round) throws InterruptedException {
                test.outside.hang();
                test.offerSome(life);
                test.offerSome(life);
                life.dieAtArrival(1 + test.random.nextInt(3));
                test.offerTo(life, List.of(test.good, test.flaky, test.gone));
                life.awaitDeath();
                test.buried(life);

                test.home = UUID.randomUUID();
                var heir = test.begin(test.home);
                heir.rest();
                test.endLeases();
                heir.dieAtCommit(Life.Way.POOL, 1 + round % 7, cut(round / 7));
                assertThat(heir.diesOf(heir.engine.node::run)).isTrue();
                test.buried(heir);
            }
        },
        /// Before, with and after the commit that folds the ledger.
        FOLD {
            @Override
            void kill(RaceTest test, Life life, int round) throws InterruptedException {
                test.offerSome(life);
                Engine.soon().until(() -> test.outside.answers() > test.answersBefore);
                life.rest();
                life.dieAtCommit(Life.Way.POOL, 1, cut(round));
                assertThat(life.diesOf(new Folding(life.engine.db, System::nanoTime)::run))
                        .isTrue();
            }
        },
        /// While it stops: when it writes what it puts back, frees its lanes, or leaves.
        STOP {
            @Override
            void kill(RaceTest test, Life life, int round) throws InterruptedException {
                test.outside.hang();
                test.offerSome(life);
                test.offerTo(life, List.of(test.good, test.flaky));
                Engine.soon().until(() -> test.outside.answers() > test.answersBefore);
                life.rest();
                var way = round % 2 == 0 ? Life.Way.RESULTS : Life.Way.POOL;
                life.dieAtCommit(way, 1, cut(round / 2));
                assertThat(life.diesOf(() -> life.engine.stop(Duration.ofMillis(5)))).isTrue();
            }
        };

        private static Cut cut(int round) {
            return CUTS.get(round % CUTS.size());
        }

        abstract void kill(RaceTest test, Life life, int round) throws InterruptedException;
    }

    private int answersBefore;

    /// Of the process that lives, or died last.
    private UUID home = UUID.randomUUID();

    @ParameterizedTest
    @EnumSource(Point.class)
    void a_crash_loses_nothing(Point point) throws InterruptedException {
        var life = begin(home);
        for (int round = 0; round < ROUNDS; round++) {
            String where = "%s, round %d, seed %d".formatted(point, round, seed);
            try {
                answersBefore = outside.answers();
                if (round % 3 == 0) {
                    offerSome(life);
                    Engine.soon().until(() -> outside.answers() > answersBefore);
                    answersBefore = outside.answers();
                }
                point.kill(this, life, round);
                buried(life);
                outside.letGo();
                books.check("after the crash, " + where);

                life = successor();
                books.check("after the take-over, " + where);
                drain(life);
                books.check(where);
                outside.check(where, books.ends());
                assertThat(life.leaks.found()).as("leaks, %s", where).isZero();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("failed in " + where, e);
            }
        }
        assertThat(outside.answers()).isPositive();
        buried(life);
    }

    private Life begin(UUID home) {
        var life = new Life(DATABASE, home, clock, random, outside);
        alive.add(life);
        return life;
    }

    /// Started again in the same data directory, or elsewhere when the leases are over.
    private Life successor() {
        if (random.nextBoolean()) {
            return begin(home);
        }
        endLeases();
        home = UUID.randomUUID();
        return begin(home);
    }

    private void endLeases() {
        db.run(tx -> tx.update("update node set lease_until = now() - interval '1 second'"));
    }

    private void buried(Life life) {
        life.die();
        outside.excuse(books.nextAttempts());
        alive.remove(life);
        bury(life);
    }

    private void bury(Life life) {
        burials.add(Thread.ofVirtual().start(life::bury));
    }

    private void offerSome(Life life) {
        for (int i = random.nextInt(5); i >= 0; i--) {
            var to = new ArrayList<>(List.of(good, flaky, gone));
            Collections.shuffle(to, random);
            offer(life, to.subList(0, 1 + random.nextInt(3)), random.nextInt(4) > 0);
        }
    }

    private void offerTo(Life life, List<ConnectionId> connections) {
        offer(life, connections, true);
    }

    private void offer(Life life, List<ConnectionId> connections, boolean isRoom) {
        byte[] body = new byte[random.nextInt(20) == 0 ? 150_000 : random.nextInt(2_000)];
        random.nextBytes(body);
        life.offer(Payload.of(List.of(), body), connections, isRoom);
    }

    /// Until nothing is left to do. Time passes, so that retries are due, circuits are tried again
    /// and leaks would be found; in steps short enough that a probe is not too old when its turn
    /// comes.
    private void drain(Life life) {
        Engine.soon()
                .until(() -> {
                    clock.advance(Duration.ofSeconds(20));
                    life.leaks.run();
                    return life.engine.count("delivery_work") == 0;
                });
    }
}
