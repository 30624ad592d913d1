package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Payload;
import dev.sluice.engine.commit.Receipt;
import dev.sluice.engine.node.LeakDetector;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.PostgresProxy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// One process of a relay that a test can kill. Its connections to the database and the receivers
/// can all be cut at once; after that nothing its threads do has an effect.
final class KillableRelay {

    /// Its three kinds of database connection.
    enum ConnectionKind {
        POOL,
        JOURNAL,
        RESULTS
    }

    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);

    /// An open circuit is due for its probe at once; other tests cover the waiting.
    private static final CooldownBackoff NO_COOLDOWNS =
            new CooldownBackoff(Duration.ZERO, Duration.ZERO);

    final DispatchHarness harness;
    final LeakDetector leakDetector;

    private final RecordingEndpoints endpoints;
    private final PostgresProxy pool;
    private final PostgresProxy journal;
    private final PostgresProxy results;
    private final CountDownLatch died = new CountDownLatch(1);
    private final CountDownLatch roundsStopped = new CountDownLatch(1);
    private final Thread rounds;

    /// Guarded by this object.
    private boolean isDead;

    /// Guarded by this object. The process dies with the arrival that brings this to 0.
    private int arrivalsLeft = -1;

    KillableRelay(
            Database database,
            UUID dataDirectoryId,
            ManualClock clock,
            Random random,
            RecordingEndpoints endpoints) {
        this.endpoints = endpoints;
        pool = PostgresProxy.to(database);
        journal = PostgresProxy.to(database);
        results = PostgresProxy.to(database);
        var addresses =
                new DispatchHarness.DatabaseAddresses(
                        pool.database(), journal.database(), results.database());
        harness =
                new DispatchHarness(
                        addresses,
                        dataDirectoryId,
                        clock,
                        new Random(random.nextLong()),
                        NO_COOLDOWNS,
                        _ -> sender());
        leakDetector = new LeakDetector(harness.db, harness.node, harness.dispatcher, clock);
        rounds = Thread.ofVirtual().start(this::rounds);
    }

    /// A sender whose requests no longer arrive once the process is dead.
    private Sender sender() {
        return (request, _) -> arrives(request) ? endpoints.answer(request) : nothing();
    }

    private static Outcome nothing() {
        return new Outcome.AttemptError(ErrorCode.INTERRUPTED, "dead", Duration.ZERO);
    }

    private synchronized boolean arrives(OutboundRequest request) {
        if (isDead) {
            return false;
        }
        endpoints.arrived(request);
        if (--arrivalsLeft == 0) {
            die();
        }
        return true;
    }

    private void rounds() {
        try {
            while (!roundsStopped.await(2, TimeUnit.MILLISECONDS) && isAlive()) {
                round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void round() {
        try {
            harness.round();
        } catch (RuntimeException e) {
            if (isAlive()) {
                throw e;
            }
        }
    }

    /// Stops the rounds of the backlog.
    void stopRounds() throws InterruptedException {
        roundsStopped.countDown();
        rounds.join(AWAIT_TIMEOUT);
    }

    /// Offers an event on a thread of its own. Its sender gets an answer only while this process
    /// lives.
    void offer(Payload payload, List<ConnectionId> to, boolean isRoom) {
        var id = harness.newId();
        endpoints.offer(id, payload, to.size());
        Thread.ofVirtual()
                .start(() -> {
                    var state = harness.ingest(id, payload, to, isRoom);
                    answer(() -> {
                        if (state == Receipt.ReceiptState.STORED) {
                            endpoints.answered(id);
                        }
                    });
                });
    }

    private synchronized void answer(Runnable answer) {
        if (!isDead) {
            answer.run();
        }
    }

    synchronized boolean isAlive() {
        return !isDead;
    }

    /// Kills the process at the nth commit, from now on, over this kind of connection.
    void dieAtCommit(ConnectionKind kind, int nth, PostgresProxy.CommitCut cut) {
        proxy(kind).killAtCommit(nth, cut, () -> dieExcept(kind), died::countDown);
    }

    /// Kills the process when a receiver has the nth request from now on, before it answers.
    synchronized void dieAtArrival(int nth) {
        arrivalsLeft = nth;
    }

    synchronized void die() {
        isDead = true;
        pool.takeDown();
        journal.takeDown();
        results.takeDown();
        died.countDown();
    }

    /// Kills the process; the proxy of `kind` cuts that connection itself.
    private synchronized void dieExcept(ConnectionKind kind) {
        isDead = true;
        for (var other : ConnectionKind.values()) {
            if (other != kind) {
                proxy(other).takeDown();
            }
        }
    }

    private PostgresProxy proxy(ConnectionKind kind) {
        return switch (kind) {
            case POOL -> pool;
            case JOURNAL -> journal;
            case RESULTS -> results;
        };
    }

    void awaitDeath() throws InterruptedException {
        if (!died.await(AWAIT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("the process never reached the point where it should die");
        }
    }

    /// Runs `work` on a thread of this process, and returns when it is done or the process died.
    ///
    /// @return whether it died
    boolean diesOf(Runnable work) throws InterruptedException {
        var working =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                work.run();
                            } catch (RuntimeException e) {
                                if (isAlive()) {
                                    throw e;
                                }
                            }
                        });
        long until = System.nanoTime() + AWAIT_TIMEOUT.toNanos();
        while (isAlive() && !working.join(Duration.ofMillis(2))) {
            assertThat(System.nanoTime() - until).as("time until it ends or dies").isNegative();
        }
        if (isAlive()) {
            return false;
        }
        awaitDeath();
        return true;
    }

    /// Releases what a killed process would have lost.
    void dispose() {
        die();
        roundsStopped.countDown();
        pool.close();
        journal.close();
        results.close();
        harness.close();
    }
}
