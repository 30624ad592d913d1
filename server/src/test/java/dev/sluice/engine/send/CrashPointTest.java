package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.Payload;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.ledger.LedgerFolder;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.PostgresProxy.CommitCut;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// Kills a process at a named point, lets another take over, and checks that nothing was lost. Each
/// crash point runs several rounds on one database, each with a new load; `-Dsluice.rounds=50`
/// makes it fifty.
///
/// A failing run prints its seed. `-Dsluice.seed=…` repeats its random choices, but not the
/// scheduling of its threads.
class CrashPointTest {

    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 2);
    private static final List<CommitCut> CUTS = List.of(CommitCut.values());
    private static final Database DATABASE = TestPostgres.newDatabase();

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Db db = emptied();
    private final DeliveryConservationCheck conservationCheck = new DeliveryConservationCheck(db);
    private final RecordingEndpoints endpoints = new RecordingEndpoints();
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Given given = new Given(db);
    private final SourceId source = given.source();
    private final ConnectionId good = to(RecordingEndpoints.GOOD);
    private final ConnectionId flaky = to(RecordingEndpoints.FLAKY);
    private final ConnectionId gone = to(RecordingEndpoints.GONE);
    private final List<KillableRelay> alive = new ArrayList<>();
    private final List<Thread> burials = new ArrayList<>();

    private static Db emptied() {
        var db = TestPostgres.open(DATABASE);
        Given.clearTables(db);
        new PartitionStore(db).makeAhead(Some.NOON);
        return db;
    }

    private ConnectionId to(String host) {
        return given.connection(source, given.destination(host, 8));
    }

    @AfterEach
    void close() throws InterruptedException {
        endpoints.letGo();
        alive.forEach(this::bury);
        for (var dying : burials) {
            assertThat(dying.join(Duration.ofSeconds(30))).as("a dead process ends").isTrue();
        }
        db.close();
    }

    /// A point at which a process is killed. Each leaves the process dead.
    enum CrashPoint {
        /// Before, at and after the commit of a batch; its senders get no answer.
        INGEST_COMMIT {
            @Override
            void kill(CrashPointTest test, KillableRelay relay, int round)
                    throws InterruptedException {
                relay.dieAtCommit(KillableRelay.ConnectionKind.JOURNAL, 1, cut(round));
                test.offerSome(relay);
                relay.awaitDeath();
            }
        },
        /// After a receiver has the request and before a result is written.
        AFTER_SEND {
            @Override
            void kill(CrashPointTest test, KillableRelay relay, int round)
                    throws InterruptedException {
                relay.dieAtArrival(1 + test.random.nextInt(4));
                for (int i = 0; i < 4; i++) {
                    test.offerTo(relay, List.of(test.good));
                }
                test.offerSome(relay);
                relay.awaitDeath();
            }
        },
        /// Before, at and after the commit of results that end deliveries.
        FINISH_COMMIT {
            @Override
            void kill(CrashPointTest test, KillableRelay relay, int round)
                    throws InterruptedException {
                relay.dieAtCommit(KillableRelay.ConnectionKind.RESULTS, 1, cut(round));
                for (int i = test.random.nextInt(8); i >= 0; i--) {
                    test.offerTo(
                            relay,
                            test.random.nextBoolean() ? List.of(test.good) : List.of(test.gone));
                }
                relay.awaitDeath();
            }
        },
        /// Before, at and after the commit of results that are retried.
        RETRY_COMMIT {
            @Override
            void kill(CrashPointTest test, KillableRelay relay, int round)
                    throws InterruptedException {
                relay.dieAtCommit(KillableRelay.ConnectionKind.RESULTS, 1, cut(round));
                for (int i = test.random.nextInt(8); i >= 0; i--) {
                    test.offerTo(relay, List.of(test.flaky));
                }
                relay.awaitDeath();
            }
        },
        /// One process dies with work in memory. The one that takes over dies at one of its steps:
        /// heartbeat, declaring dead, finding dead epochs, releasing work, releasing lanes, waking
        /// lanes, deleting the epoch.
        TAKE_OVER {
            @Override
            void kill(CrashPointTest test, KillableRelay relay, int round)
                    throws InterruptedException {
                test.endpoints.hang();
                test.offerSome(relay);
                test.offerSome(relay);
                relay.dieAtArrival(1 + test.random.nextInt(3));
                test.offerTo(relay, List.of(test.good, test.flaky, test.gone));
                relay.awaitDeath();
                test.buried(relay);

                test.dataDirectoryId = UUID.randomUUID();
                var heir = test.begin(test.dataDirectoryId);
                heir.stopRounds();
                test.endLeases();
                heir.dieAtCommit(KillableRelay.ConnectionKind.POOL, 1 + round % 7, cut(round / 7));
                assertThat(heir.diesOf(heir.harness::runNode)).isTrue();
                test.buried(heir);
            }
        },
        /// Before, at and after the commit that folds the ledger.
        FOLD {
            @Override
            void kill(CrashPointTest test, KillableRelay relay, int round)
                    throws InterruptedException {
                test.offerSome(relay);
                DispatchHarness.awaitSoon()
                        .until(() -> test.endpoints.answers() > test.answersBefore);
                relay.stopRounds();
                relay.dieAtCommit(KillableRelay.ConnectionKind.POOL, 1, cut(round));
                assertThat(relay.diesOf(new LedgerFolder(relay.harness.db, System::nanoTime)::run))
                        .isTrue();
            }
        },
        /// During a stop: while it writes what it puts back, releases its lanes, or leaves.
        STOP {
            @Override
            void kill(CrashPointTest test, KillableRelay relay, int round)
                    throws InterruptedException {
                test.endpoints.hang();
                test.offerSome(relay);
                test.offerTo(relay, List.of(test.good, test.flaky));
                DispatchHarness.awaitSoon()
                        .until(() -> test.endpoints.answers() > test.answersBefore);
                relay.stopRounds();
                var kind =
                        round % 2 == 0
                                ? KillableRelay.ConnectionKind.RESULTS
                                : KillableRelay.ConnectionKind.POOL;
                relay.dieAtCommit(kind, 1, cut(round / 2));
                assertThat(relay.diesOf(() -> relay.harness.stop(Duration.ofMillis(5)))).isTrue();
            }
        };

        private static CommitCut cut(int round) {
            return CUTS.get(round % CUTS.size());
        }

        abstract void kill(CrashPointTest test, KillableRelay relay, int round)
                throws InterruptedException;
    }

    private int answersBefore;

    /// The directory of the live process, or of the one that died last.
    private UUID dataDirectoryId = UUID.randomUUID();

    @ParameterizedTest
    @EnumSource(CrashPoint.class)
    void a_crash_loses_nothing(CrashPoint crashPoint) throws InterruptedException {
        var relay = begin(dataDirectoryId);
        for (int round = 0; round < ROUNDS; round++) {
            String where = "%s, round %d, seed %d".formatted(crashPoint, round, seed);
            try {
                answersBefore = endpoints.answers();
                if (round % 3 == 0) {
                    offerSome(relay);
                    DispatchHarness.awaitSoon().until(() -> endpoints.answers() > answersBefore);
                    answersBefore = endpoints.answers();
                }
                crashPoint.kill(this, relay, round);
                buried(relay);
                endpoints.letGo();
                conservationCheck.check("after the crash, " + where);

                relay = successor();
                conservationCheck.check("after the take-over, " + where);
                drain(relay);
                conservationCheck.check(where);
                endpoints.check(where, conservationCheck.finished());
                assertThat(relay.leakDetector.found()).as("leaks, %s", where).isZero();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("failed in " + where, e);
            }
        }
        assertThat(endpoints.answers()).isPositive();
        buried(relay);
    }

    private KillableRelay begin(UUID dataDirectoryId) {
        var relay = new KillableRelay(DATABASE, dataDirectoryId, clock, random, endpoints);
        alive.add(relay);
        return relay;
    }

    /// Starts a process in the same data directory, or in another once the leases have expired.
    private KillableRelay successor() {
        if (random.nextBoolean()) {
            return begin(dataDirectoryId);
        }
        endLeases();
        dataDirectoryId = UUID.randomUUID();
        return begin(dataDirectoryId);
    }

    /// Declares all processes dead, as one does that sees no heartbeats of them.
    private void endLeases() {
        db.run(tx -> tx.update("update node set state = 'dead'"));
    }

    private void buried(KillableRelay relay) {
        relay.die();
        endpoints.excuse(conservationCheck.nextAttempts());
        alive.remove(relay);
        bury(relay);
    }

    private void bury(KillableRelay relay) {
        burials.add(Thread.ofVirtual().start(relay::dispose));
    }

    private void offerSome(KillableRelay relay) {
        for (int i = random.nextInt(5); i >= 0; i--) {
            var to = new ArrayList<>(List.of(good, flaky, gone));
            Collections.shuffle(to, random);
            offer(relay, to.subList(0, 1 + random.nextInt(3)), random.nextInt(4) > 0);
        }
    }

    private void offerTo(KillableRelay relay, List<ConnectionId> connections) {
        offer(relay, connections, true);
    }

    private void offer(KillableRelay relay, List<ConnectionId> connections, boolean isRoom) {
        byte[] body = new byte[random.nextInt(20) == 0 ? 150_000 : random.nextInt(2_000)];
        random.nextBytes(body);
        relay.offer(Payload.of(List.of(), body), connections, isRoom);
    }

    /// Runs until no work is left. Time passes, so that retries come due, circuits are probed and
    /// leaks would be found. The steps are short enough that a probe's claim does not expire before
    /// it is sent.
    private void drain(KillableRelay relay) {
        DispatchHarness.awaitSoon()
                .until(() -> {
                    clock.advance(Duration.ofSeconds(20));
                    relay.leakDetector.run();
                    return relay.harness.count("delivery_work") == 0;
                });
    }
}
