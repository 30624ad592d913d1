package dev.sluice.engine.commit;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

/// The real [GroupCommit] in a simulated world.
public final class SimulatedCommit<T> {

    /// What the group commit has around it: a queue, a database, and time.
    public interface CommitWorld<T> {

        List<T> take(Duration time);

        List<T> write(List<T> items, long epoch);

        List<T> stored(List<T> items);

        /// Called when partitions are missing for some items.
        void makeDays();

        boolean isAnswering();

        long nanoTime();

        void sleep(Duration time);

        /// Makes `take` stop waiting.
        void end();
    }

    private final GroupCommit<T> commit;

    private SimulatedCommit(
            CommitWorld<T> world, GroupCommit.BatchType<T> type, LongSupplier epoch) {
        commit =
                new GroupCommit<>(
                        "simulated", queue(world), store(world), type, epoch, timer(world));
    }

    public static SimulatedCommit<AcceptedEvent> ofEvents(
            CommitWorld<AcceptedEvent> world, JournalListener listener, LongSupplier epoch) {
        var type = new EventBatch();
        type.tell(listener);
        return new SimulatedCommit<>(world, type, epoch);
    }

    public static SimulatedCommit<DeliveryResult> ofResults(
            CommitWorld<DeliveryResult> world, ResultListener listener, LongSupplier epoch) {
        var type = new ResultBatch();
        type.tell(listener);
        return new SimulatedCommit<>(world, type, epoch);
    }

    public void run() throws InterruptedException {
        commit.run();
    }

    public void end() {
        commit.end();
    }

    /// Whether nothing is being written or set aside.
    public boolean isIdle() {
        return commit.writing().isEmpty() && commit.resting().isEmpty();
    }

    /// Refuses the events being written that are past their deadlines.
    public static void refuseOverdue(SimulatedCommit<AcceptedEvent> events, long now) {
        refuseOverdue(events.commit.writing(), now);
    }

    /// Refuses those of the events that are past their deadlines.
    public static void refuseOverdue(Collection<AcceptedEvent> events, long now) {
        EventBatch.refuseOverdue(events, now);
    }

    private static <T> GroupCommit.BatchQueue<T> queue(CommitWorld<T> world) {
        return new GroupCommit.BatchQueue<>() {
            @Override
            public List<T> take(Duration time) {
                return world.take(time);
            }

            @Override
            public void close() {
                world.end();
            }
        };
    }

    private static <T> GroupCommit.BatchStore<T> store(CommitWorld<T> world) {
        return new GroupCommit.BatchStore<>() {
            @Override
            public List<T> write(List<T> items, long epoch) {
                return world.write(items, epoch);
            }

            @Override
            public List<T> stored(List<T> items) {
                return world.stored(items);
            }

            @Override
            public void makeDays(List<UUID> ids) {
                world.makeDays();
            }

            @Override
            public boolean isAnswering() {
                return world.isAnswering();
            }

            @Override
            public void close() {}
        };
    }

    private static GroupCommit.CommitTimer timer(CommitWorld<?> world) {
        return new GroupCommit.CommitTimer() {
            @Override
            public long nanoTime() {
                return world.nanoTime();
            }

            @Override
            public void sleep(Duration time) {
                world.sleep(time);
            }
        };
    }
}
