package dev.sluice.engine.send;

import dev.sluice.engine.commit.ModelStore;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// A database reached through an unreliable network. Transactions may be slow, commit after their
/// connection broke, or lose their reply, and at times no connection works.
final class SimulatedDatabase {

    /// The connection broke: it is unknown whether the transaction was committed.
    static final class ConnectionLost extends RuntimeException {
        ConnectionLost() {
            super("connection lost", null, false, false);
        }
    }

    /// No transaction lives longer; see [LaneReader].
    private static final int MAX_TRANSACTION_MILLIS = 20_000;

    private final DeterministicScheduler scheduler;
    private final RandomGenerator random;
    private final ModelStore store;
    private final SimulatedCircuits circuits = new SimulatedCircuits();
    private final InvariantChecker invariants;
    private final DeterministicScheduler.SimulatedProcess server =
            new DeterministicScheduler.SimulatedProcess("database");

    private Instant outageUntil = Instant.MIN;

    /// Out of a thousand transactions, how many fail in each way.
    private int lostBefore;

    private int lostAfter;
    private int late;
    private int slow;
    private int refused;

    SimulatedDatabase(
            DeterministicScheduler scheduler,
            RandomGenerator random,
            ModelStore store,
            InvariantChecker invariants) {
        this.scheduler = scheduler;
        this.random = random;
        this.store = store;
        this.invariants = invariants;
    }

    void enableFaults() {
        lostBefore = rarely(60);
        lostAfter = rarely(120);
        late = rarely(60);
        slow = rarely(40);
        refused = rarely(60);
    }

    private int rarely(int maximum) {
        return random.nextBoolean() ? 0 : random.nextInt(maximum);
    }

    void disableFaults() {
        lostBefore = lostAfter = late = slow = refused = 0;
        outageUntil = Instant.MIN;
    }

    /// Whether the database refuses the next batch of a group commit, although it responds.
    boolean isRefusing() {
        return random.nextInt(1_000) < refused;
    }

    void startOutage(Duration time) {
        outageUntil = scheduler.now().plus(time);
    }

    /// Runs one transaction of a process. It takes effect at one moment during the call. If this
    /// throws, it takes effect later or never.
    <T> T call(SimulatedNode node, String what, Supplier<T> transaction) {
        return call(node, what, late, transaction);
    }

    /// Like `call`, but never takes effect after the call.
    <T> T callInTime(SimulatedNode node, String what, Supplier<T> transaction) {
        return call(node, what, 0, transaction);
    }

    private <T> T call(SimulatedNode node, String what, int late, Supplier<T> transaction) {
        scheduler.yieldPoint();
        if (scheduler.now().isBefore(outageUntil) || node.isCutOff()) {
            scheduler.sleep(Duration.ofMillis(20 + random.nextInt(1_000)));
            throw new ConnectionLost();
        }
        int dice = random.nextInt(1_000);
        if (dice < lostBefore) {
            scheduler.trace("%s: lost", what);
            throw new ConnectionLost();
        }
        dice -= lostBefore;
        if (dice < late) {
            commitLate(what, transaction);
            throw new ConnectionLost();
        }
        dice -= late;
        if (dice < slow) {
            scheduler.sleep(Duration.ofMillis(random.nextInt(MAX_TRANSACTION_MILLIS)));
        }
        T answer = commit(what, transaction);
        if (dice - slow >= 0 && dice - slow < lostAfter) {
            scheduler.trace("%s: reply lost", what);
            throw new ConnectionLost();
        }
        scheduler.yieldPoint();
        return answer;
    }

    private <T> T commit(String what, Supplier<T> transaction) {
        T answer = transaction.get();
        scheduler.trace("%s -> %s", what, answer);
        invariants.check(store);
        return answer;
    }

    private void commitLate(String what, Supplier<?> transaction) {
        scheduler.trace("%s: will commit late", what);
        scheduler.start(
                server,
                what,
                () -> {
                    scheduler.sleep(Duration.ofMillis(random.nextInt(MAX_TRANSACTION_MILLIS)));
                    try {
                        commit(what, transaction);
                    } catch (ModelStore.DuplicateKeyException e) {
                        scheduler.trace("%s: rolled back", what);
                    }
                });
    }

    SimulatedCircuits circuits() {
        return circuits;
    }

    ModelStore store() {
        return store;
    }
}
