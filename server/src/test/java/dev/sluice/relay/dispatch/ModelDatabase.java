package dev.sluice.relay.dispatch;

import dev.sluice.relay.store.ModelStore;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// The way to the tables, as a network and a server make it: transactions that take long, that
/// commit after their connection broke, whose answer is lost, and times when there is no way at
/// all.
final class ModelDatabase {

    /// The connection broke: it is not known whether the transaction was committed.
    static final class Lost extends RuntimeException {
        Lost() {
            super("connection lost", null, false, false);
        }
    }

    /// No transaction lives longer; see `LaneReader`.
    private static final int LONGEST_MILLIS = 20_000;

    private final Baton baton;
    private final RandomGenerator random;
    private final ModelStore store;
    private final ModelCircuits circuits = new ModelCircuits();
    private final Watch watch;
    private final Baton.Host server = new Baton.Host("database");

    private Instant awayUntil = Instant.MIN;

    /// In a thousand transactions, how many of each kind.
    private int lostBefore;

    private int lostAfter;
    private int late;
    private int slow;

    ModelDatabase(Baton baton, RandomGenerator random, ModelStore store, Watch watch) {
        this.baton = baton;
        this.random = random;
        this.store = store;
        this.watch = watch;
    }

    void beWayward() {
        lostBefore = rarely(60);
        lostAfter = rarely(120);
        late = rarely(60);
        slow = rarely(40);
    }

    private int rarely(int most) {
        return random.nextBoolean() ? 0 : random.nextInt(most);
    }

    void beGood() {
        lostBefore = lostAfter = late = slow = 0;
        awayUntil = Instant.MIN;
    }

    void goAway(Duration time) {
        awayUntil = baton.now().plus(time);
    }

    /// One transaction of a process. It runs at one moment between call and return; or later, or
    /// never, when this throws.
    <T> T call(ModelLife life, String what, Supplier<T> transaction) {
        return call(life, what, late, transaction);
    }

    /// The same, but never later.
    <T> T callInTime(ModelLife life, String what, Supplier<T> transaction) {
        return call(life, what, 0, transaction);
    }

    private <T> T call(ModelLife life, String what, int late, Supplier<T> transaction) {
        baton.pause();
        if (baton.now().isBefore(awayUntil) || life.isCutOff()) {
            baton.sleep(Duration.ofMillis(20 + random.nextInt(1_000)));
            throw new Lost();
        }
        int fate = random.nextInt(1_000);
        if (fate < lostBefore) {
            baton.note("%s: lost", what);
            throw new Lost();
        }
        fate -= lostBefore;
        if (fate < late) {
            commitLate(what, transaction);
            throw new Lost();
        }
        fate -= late;
        if (fate < slow) {
            baton.sleep(Duration.ofMillis(random.nextInt(LONGEST_MILLIS)));
        }
        T answer = commit(what, transaction);
        if (fate - slow >= 0 && fate - slow < lostAfter) {
            baton.note("%s: answer lost", what);
            throw new Lost();
        }
        baton.pause();
        return answer;
    }

    private <T> T commit(String what, Supplier<T> transaction) {
        T answer = transaction.get();
        baton.note("%s -> %s", what, answer);
        watch.check(store);
        return answer;
    }

    private void commitLate(String what, Supplier<?> transaction) {
        baton.note("%s: will commit late", what);
        baton.start(
                server,
                what,
                () -> {
                    baton.sleep(Duration.ofMillis(random.nextInt(LONGEST_MILLIS)));
                    try {
                        commit(what, transaction);
                    } catch (ModelStore.Duplicate e) {
                        baton.note("%s: rolled back", what);
                    }
                });
    }

    ModelCircuits circuits() {
        return circuits;
    }

    ModelStore store() {
        return store;
    }
}
