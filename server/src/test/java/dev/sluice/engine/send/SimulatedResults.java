package dev.sluice.engine.send;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.ResultListener;
import dev.sluice.engine.commit.ResultQueue;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// A model of `engine.commit.ResultJournal`: a batch is written again until its commit is certain.
final class SimulatedResults implements ResultQueue {

    private final DeterministicScheduler scheduler;
    private final RandomGenerator random;
    private final SimulatedDatabase database;
    private final SimulatedNode node;
    private final ArrayDeque<DeliveryResult> queue = new ArrayDeque<>();
    private final int maxQueued;
    private final int maxBatch;
    private ResultListener listener = (_, _) -> {};
    private DeterministicScheduler.@Nullable SimulatedTask writer;
    private boolean isClosing;
    private int underWay;

    SimulatedResults(
            DeterministicScheduler scheduler,
            RandomGenerator random,
            SimulatedDatabase database,
            SimulatedNode node) {
        this.scheduler = scheduler;
        this.random = random;
        this.database = database;
        this.node = node;
        this.maxQueued = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1_000;
        this.maxBatch = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(64);
    }

    void start(ResultListener resultListener) {
        listener = resultListener;
        writer = scheduler.start(node.process(), "results", this::write);
    }

    @Override
    public void add(DeliveryResult result, boolean isAwaited) {
        scheduler.yieldPoint();
        while (queue.size() >= maxQueued) {
            scheduler.sleep(Duration.ofMillis(20));
        }
        scheduler.trace("result %s", result);
        if (isInternalError(result)) {
            scheduler.reportViolation(
                    "%s failed because of an internal error", result.delivery().id());
        }
        queue.add(result);
        wake();
    }

    /// Whether an exception caused this result: these receivers never give such an answer.
    private static boolean isInternalError(DeliveryResult result) {
        var attempt =
                switch (result) {
                    case DeliveryResult.FinalResult finished -> finished.attempt();
                    case DeliveryResult.RetryResult retried -> Optional.of(retried.attempt());
                    case DeliveryResult.ReleaseResult _ -> Optional.<Attempt>empty();
                };
        return attempt.flatMap(Attempt::errorCode)
                .filter(code -> code == ErrorCode.INVALID_RESPONSE)
                .isPresent();
    }

    private void wake() {
        var task = writer;
        if (task != null) {
            task.wake();
        }
    }

    boolean isEmpty() {
        return queue.isEmpty() && underWay == 0;
    }

    private void write() {
        while (true) {
            if (queue.isEmpty()) {
                if (isClosing) {
                    return;
                }
                scheduler.sleepUntil(Instant.MAX);
                continue;
            }
            scheduler.sleep(Duration.ofMillis(random.nextInt(5)));
            var batch = new ArrayList<DeliveryResult>();
            while (!queue.isEmpty() && batch.size() < maxBatch) {
                batch.add(queue.remove());
            }
            underWay = batch.size();
            commit(batch);
            underWay = 0;
        }
    }

    private void commit(List<DeliveryResult> batch) {
        while (true) {
            var now = node.clock().instant();
            var due = batch.stream().map(result -> result.notDueBefore(now)).toList();
            long epoch = node.epoch();
            try {
                listener.written(
                        batch,
                        database.call(node, "results", () -> database.store().write(due, epoch)));
                return;
            } catch (SimulatedDatabase.ConnectionLost e) {
                scheduler.sleep(Duration.ofMillis(20 + random.nextInt(1_000)));
            }
        }
    }

    /// Waits until everything is written, for at most four seconds.
    void close() {
        isClosing = true;
        wake();
        var until = scheduler.now().plusSeconds(4);
        while (!isEmpty() && scheduler.now().isBefore(until)) {
            scheduler.sleep(Duration.ofMillis(50));
        }
    }
}
