package dev.sluice.relay.dispatch;

import dev.sluice.relay.Attempt;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.store.ResultQueue;
import dev.sluice.relay.store.ResultsListener;
import dev.sluice.relay.store.Settled;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The steps of `relay.store.Results`: batches, written again until it is known that they are
/// written.
final class ModelResults implements ResultQueue {

    private final Baton baton;
    private final RandomGenerator random;
    private final ModelDatabase database;
    private final ModelLife life;
    private final ArrayDeque<Settled> queue = new ArrayDeque<>();
    private final int mostQueued;
    private final int mostAtOnce;
    private ResultsListener listener = (_, _) -> {};
    private Baton.@Nullable Turn writer;
    private boolean isClosing;
    private int underWay;

    ModelResults(Baton baton, RandomGenerator random, ModelDatabase database, ModelLife life) {
        this.baton = baton;
        this.random = random;
        this.database = database;
        this.life = life;
        this.mostQueued = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1_000;
        this.mostAtOnce = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(64);
    }

    void start(ResultsListener told) {
        listener = told;
        writer = baton.start(life.process(), "results", this::write);
    }

    @Override
    public void add(Settled settled) {
        baton.pause();
        while (queue.size() >= mostQueued) {
            baton.sleep(Duration.ofMillis(20));
        }
        baton.note("result %s", settled);
        if (isOfABug(settled)) {
            baton.violated("%s could not be sent for a reason of ours", settled.work().id());
        }
        queue.add(settled);
        wake();
    }

    /// The receivers here never give such an answer: somebody threw.
    private static boolean isOfABug(Settled settled) {
        var attempt =
                switch (settled) {
                    case Settled.Finished finished -> finished.attempt();
                    case Settled.Retried retried -> Optional.of(retried.attempt());
                    case Settled.Released _ -> Optional.<Attempt>empty();
                };
        return attempt.flatMap(Attempt::errorCode)
                .filter(code -> code == ErrorCode.INVALID_RESPONSE)
                .isPresent();
    }

    private void wake() {
        var turn = writer;
        if (turn != null) {
            turn.wake();
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
                baton.sleepUntil(Instant.MAX);
                continue;
            }
            baton.sleep(Duration.ofMillis(random.nextInt(5)));
            var batch = new ArrayList<Settled>();
            while (!queue.isEmpty() && batch.size() < mostAtOnce) {
                batch.add(queue.remove());
            }
            underWay = batch.size();
            commit(batch);
            underWay = 0;
        }
    }

    private void commit(List<Settled> batch) {
        while (true) {
            var now = life.clock().instant();
            var due = batch.stream().map(settled -> settled.dueFrom(now)).toList();
            long epoch = life.epoch();
            try {
                listener.written(
                        batch,
                        database.call(life, "results", () -> database.store().write(due, epoch)));
                return;
            } catch (ModelDatabase.Lost e) {
                baton.sleep(Duration.ofMillis(20 + random.nextInt(1_000)));
            }
        }
    }

    /// Waits until all is written, four seconds at most.
    void close() {
        isClosing = true;
        wake();
        var until = baton.now().plusSeconds(4);
        while (!isEmpty() && baton.now().isBefore(until)) {
            baton.sleep(Duration.ofMillis(50));
        }
    }
}
