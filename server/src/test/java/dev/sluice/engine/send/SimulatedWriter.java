package dev.sluice.engine.send;

import dev.sluice.engine.commit.ModelStore;
import dev.sluice.engine.commit.SimulatedCommit;
import dev.sluice.platform.db.DbRefusals;
import dev.sluice.testkit.Some;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;

/// The queue, the database and the time around the real group commit of a node: of its events, or
/// of its results.
final class SimulatedWriter<T> implements SimulatedCommit.CommitWorld<T> {

    /// What is written.
    interface SimulatedTable<T> {

        List<T> write(ModelStore store, List<T> items, long epoch, Instant now);

        boolean isStored(ModelStore store, T item);
    }

    static final String MISSING_DAY = "23514";
    private static final String DUPLICATE = "23505";
    private static final String CONNECTION_LOST = "08006";

    private final DeterministicScheduler scheduler;
    private final RandomGenerator random;
    private final SimulatedDatabase database;
    private final SimulatedNode node;
    private final String name;
    private final SimulatedTable<T> table;
    private final List<String> refusals;
    private final boolean isReplyIgnored;
    private final int maxBatch;
    private final ArrayDeque<T> queue = new ArrayDeque<>();
    private @Nullable SimulatedCommit<T> commit;
    private DeterministicScheduler.@Nullable SimulatedTask task;
    private boolean isDayMissing;
    private boolean isEnding;

    /// @param refusals the SQLSTATEs with which the database refuses a batch
    /// @param isReplyIgnored a bug: a write whose connection breaks is taken for a success
    SimulatedWriter(
            SimulatedNode node,
            SimulatedNode.NodeEnvironment environment,
            String name,
            SimulatedTable<T> table,
            List<String> refusals,
            boolean isReplyIgnored) {
        this.scheduler = environment.scheduler();
        this.random = environment.random();
        this.database = environment.database();
        this.node = node;
        this.name = name;
        this.table = table;
        this.refusals = refusals;
        this.isReplyIgnored = isReplyIgnored;
        this.maxBatch = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(64);
    }

    void start(SimulatedCommit<T> real) {
        commit = real;
        task = scheduler.start(node.process(), name, real::run);
    }

    void add(T item) {
        queue.add(item);
        wake();
    }

    private void wake() {
        var writing = task;
        if (writing != null) {
            writing.wake();
        }
    }

    Collection<T> queue() {
        return queue;
    }

    boolean isEmpty() {
        var real = commit;
        return queue.isEmpty() && (real == null || real.isIdle());
    }

    /// Sleeps for at most `time`, or until an item is added.
    @Override
    public List<T> take(Duration time) {
        if (queue.isEmpty() && !isEnding) {
            scheduler.sleep(time);
        }
        if (!queue.isEmpty()) {
            scheduler.sleep(Duration.ofMillis(random.nextInt(5)));
        }
        var batch = new ArrayList<T>();
        while (!queue.isEmpty() && batch.size() < maxBatch) {
            batch.add(queue.remove());
        }
        return batch;
    }

    @Override
    public List<T> write(List<T> items, long epoch) {
        var now = node.clock().instant();
        refuseSome();
        try {
            return database.call(
                    node,
                    name + " " + items.size(),
                    () -> table.write(database.store(), items, epoch, now));
        } catch (SimulatedDatabase.ConnectionLost e) {
            if (isReplyIgnored) {
                return items;
            }
            throw DbRefusals.of(CONNECTION_LOST);
        } catch (ModelStore.DuplicateKeyException e) {
            throw DbRefusals.of(DUPLICATE);
        }
    }

    private void refuseSome() {
        if (isDayMissing || database.isRefusing()) {
            String state =
                    isDayMissing ? MISSING_DAY : refusals.get(random.nextInt(refusals.size()));
            isDayMissing = state.equals(MISSING_DAY);
            scheduler.trace("%s: refused with %s", name, state);
            throw DbRefusals.of(state);
        }
    }

    @Override
    public List<T> stored(List<T> items) {
        try {
            return database.call(
                    node,
                    "in doubt",
                    () ->
                            items.stream()
                                    .filter(item -> table.isStored(database.store(), item))
                                    .toList());
        } catch (SimulatedDatabase.ConnectionLost e) {
            throw DbRefusals.of(CONNECTION_LOST);
        }
    }

    @Override
    public void makeDays() {
        isDayMissing = false;
    }

    @Override
    public boolean isAnswering() {
        return true;
    }

    /// The time of every monotonic clock.
    @Override
    public long nanoTime() {
        return Duration.between(Some.NOON, scheduler.now()).toNanos();
    }

    @Override
    public void sleep(Duration time) {
        scheduler.sleep(time);
    }

    @Override
    public void end() {
        isEnding = true;
        wake();
    }

    /// Waits until everything is written, for at most four seconds.
    void close() {
        var real = commit;
        if (real != null) {
            real.end();
        }
        var until = scheduler.now().plusSeconds(4);
        while (!isEmpty() && scheduler.now().isBefore(until)) {
            scheduler.sleep(Duration.ofMillis(50));
        }
    }
}
