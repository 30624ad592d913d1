package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Database;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Payload;
import dev.sluice.relay.circuit.Cooldowns;
import dev.sluice.relay.send.Parcel;
import dev.sluice.relay.send.Sender;
import dev.sluice.relay.store.Receipt;
import dev.sluice.relay.upkeep.Leaks;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.TcpProxy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// One life of a relay's process. It reaches the database and the receivers through ways that can
/// all be cut at once; after that nothing its threads do is ever heard of again, as if it had been
/// killed.
final class Life {

    /// Its three ways to the database.
    enum Way {
        POOL,
        JOURNAL,
        RESULTS
    }

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /// A circuit that opens is due for its probe at once: other tests are about waiting for it.
    private static final Cooldowns COOLDOWNS = new Cooldowns(Duration.ZERO, Duration.ZERO);

    final Engine engine;
    final Leaks leaks;

    private final Outside outside;
    private final TcpProxy pool;
    private final TcpProxy journal;
    private final TcpProxy results;
    private final CountDownLatch death = new CountDownLatch(1);
    private final CountDownLatch resting = new CountDownLatch(1);
    private final Thread rounds;

    /// Guarded by this object.
    private boolean isDead;

    /// Guarded by this object: it dies with the arrival that brings this to 0.
    private int arrivalsLeft = -1;

    Life(Database database, UUID home, ManualClock clock, Random random, Outside outside) {
        this.outside = outside;
        pool = TcpProxy.to(database.host(), database.port());
        journal = TcpProxy.to(database.host(), database.port());
        results = TcpProxy.to(database.host(), database.port());
        var ways =
                new Engine.Ways(
                        through(pool, database),
                        through(journal, database),
                        through(results, database));
        engine =
                new Engine(
                        ways, home, clock, new Random(random.nextLong()), COOLDOWNS, _ -> wire());
        leaks = new Leaks(engine.db, engine.node, engine.dispatcher, clock);
        rounds = Thread.ofVirtual().start(this::rounds);
    }

    private static Database through(TcpProxy proxy, Database database) {
        return new Database(
                "127.0.0.1",
                proxy.port(),
                database.name(),
                database.user(),
                database.password(),
                "");
    }

    /// What the dead send does not arrive.
    private Sender wire() {
        return (parcel, _) -> arrives(parcel) ? outside.answer(parcel) : nothing();
    }

    private static Outcome nothing() {
        return new Outcome.Unreachable(ErrorCode.INTERRUPTED, "dead", Duration.ZERO);
    }

    private synchronized boolean arrives(Parcel parcel) {
        if (isDead) {
            return false;
        }
        outside.arrived(parcel);
        if (--arrivalsLeft == 0) {
            die();
        }
        return true;
    }

    private void rounds() {
        try {
            while (!resting.await(2, TimeUnit.MILLISECONDS) && isAlive()) {
                round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void round() {
        try {
            engine.round();
        } catch (RuntimeException e) {
            if (isAlive()) {
                throw e;
            }
        }
    }

    /// The backlog does no more rounds.
    void rest() throws InterruptedException {
        resting.countDown();
        rounds.join(PATIENCE);
    }

    /// Offers an event on a thread of its own; its sender is answered only while this process
    /// lives.
    void offer(Payload payload, List<ConnectionId> to, boolean isRoom) {
        var id = engine.newId();
        outside.offer(id, payload, to.size());
        Thread.ofVirtual()
                .start(() -> {
                    var state = engine.ingest(id, payload, to, isRoom);
                    answer(() -> {
                        if (state == Receipt.State.STORED) {
                            outside.answered(id);
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

    /// Kills it at the nth commit on one of its ways from now on.
    void dieAtCommit(Way way, int nth, TcpProxy.Cut cut) {
        proxy(way).dieAtCommit(nth, cut, () -> dieExcept(way), death::countDown);
    }

    /// Kills it when a receiver has the nth request from now on, before it answers.
    synchronized void dieAtArrival(int nth) {
        arrivalsLeft = nth;
    }

    synchronized void die() {
        isDead = true;
        pool.goAway();
        journal.goAway();
        results.goAway();
        death.countDown();
    }

    /// The connection of that way is being cut by its proxy.
    private synchronized void dieExcept(Way way) {
        isDead = true;
        for (var other : Way.values()) {
            if (other != way) {
                proxy(other).goAway();
            }
        }
    }

    private TcpProxy proxy(Way way) {
        return switch (way) {
            case POOL -> pool;
            case JOURNAL -> journal;
            case RESULTS -> results;
        };
    }

    void awaitDeath() throws InterruptedException {
        if (!death.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("it does not come to the point where it should die");
        }
    }

    /// Runs it on a thread of this process; returns when it has died of it, or is done.
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
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (isAlive() && !working.join(Duration.ofMillis(2))) {
            assertThat(System.nanoTime() - until).as("it neither ends nor dies").isNegative();
        }
        if (isAlive()) {
            return false;
        }
        awaitDeath();
        return true;
    }

    /// Lets go of what a killed process would have lost with itself.
    void bury() {
        die();
        resting.countDown();
        pool.close();
        journal.close();
        results.close();
        engine.close();
    }
}
