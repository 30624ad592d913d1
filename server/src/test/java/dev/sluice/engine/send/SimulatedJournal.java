package dev.sluice.engine.send;

import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.JournalListener;
import dev.sluice.engine.commit.ModelStore;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/// A model of `engine.commit.Journal`. A batch in doubt is looked up before it is written again,
/// and nothing is written after its deadline.
final class SimulatedJournal {

    private static final Duration RECEIPT_TIMEOUT = Duration.ofSeconds(10);

    /// An event, and until when its sender waits.
    private record QueuedEvent(AcceptedEvent event, Instant deadline) {}

    private final DeterministicScheduler scheduler;
    private final RandomGenerator random;
    private final SimulatedDatabase database;
    private final SimulatedNode node;
    private final InvariantChecker invariants;
    private final boolean isDoubtResolved;
    private final ArrayDeque<QueuedEvent> queue = new ArrayDeque<>();
    private final JournalListener listener;
    private final DeterministicScheduler.SimulatedTask writer;
    private boolean isClosing;
    private int underWay;

    /// @param looksUpDoubt whether a batch in doubt is looked up, as it should be
    SimulatedJournal(
            DeterministicScheduler scheduler,
            RandomGenerator random,
            SimulatedDatabase database,
            SimulatedNode node,
            InvariantChecker invariants,
            JournalListener listener,
            boolean looksUpDoubt) {
        this.scheduler = scheduler;
        this.random = random;
        this.database = database;
        this.node = node;
        this.invariants = invariants;
        this.listener = listener;
        this.isDoubtResolved = looksUpDoubt;
        this.writer = scheduler.start(node.process(), "journal", this::write);
    }

    boolean offer(AcceptedEvent event) {
        if (isClosing) {
            return false;
        }
        queue.add(new QueuedEvent(event, scheduler.now().plus(RECEIPT_TIMEOUT)));
        writer.wake();
        return true;
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
            var batch = new ArrayList<QueuedEvent>();
            while (!queue.isEmpty() && batch.size() < 8) {
                batch.add(queue.remove());
            }
            underWay = batch.size();
            commit(batch);
            underWay = 0;
        }
    }

    private void commit(List<QueuedEvent> batch) {
        var left = batch;
        var late = new ArrayList<QueuedEvent>();
        var inDoubt = OptionalLong.empty();
        long owner = node.epoch();
        while (!left.isEmpty()) {
            try {
                if (inDoubt.isPresent() && isStored(left.getFirst())) {
                    owner = inDoubt.getAsLong();
                    break;
                }
                left = withoutOverdue(left, late, inDoubt.isPresent());
                owner = node.epoch();
                writeOnce(left, owner);
                break;
            } catch (ModelStore.DuplicateKeyException e) {
                owner = inDoubt.orElseThrow();
                break;
            } catch (SimulatedDatabase.ConnectionLost e) {
                if (!isDoubtResolved) {
                    break;
                }
                if (inDoubt.isEmpty()) {
                    inDoubt = OptionalLong.of(owner);
                }
                rest();
            }
        }
        acknowledge(left, owner);
        find(late, inDoubt.orElse(owner));
    }

    private void rest() {
        scheduler.sleep(Duration.ofMillis(20 + random.nextInt(1_000)));
    }

    private boolean isStored(QueuedEvent one) {
        return database.call(node, "in doubt", () -> database.store().isStored(one.event().id()));
    }

    private List<QueuedEvent> withoutOverdue(
            List<QueuedEvent> all, List<QueuedEvent> late, boolean isInDoubt) {
        var left = new ArrayList<QueuedEvent>();
        for (var one : all) {
            if (scheduler.now().isBefore(one.deadline())) {
                left.add(one);
            } else if (isInDoubt) {
                late.add(one);
            } else {
                listener.dropped(one.event());
            }
        }
        return left;
    }

    private void writeOnce(List<QueuedEvent> batch, long owner) {
        if (batch.isEmpty()) {
            return;
        }
        var events = batch.stream().map(QueuedEvent::event).toList();
        var now = node.clock().instant();
        database.call(
                node,
                "store " + events.size(),
                () -> {
                    database.store().store(events, owner, now);
                    return "stored";
                });
    }

    private void find(List<QueuedEvent> late, long owner) {
        for (var one : late) {
            while (true) {
                try {
                    if (isStored(one)) {
                        acknowledge(List.of(one), owner);
                    } else {
                        invariants.givenUp(one.event().id());
                        listener.dropped(one.event());
                    }
                    break;
                } catch (SimulatedDatabase.ConnectionLost e) {
                    rest();
                }
            }
        }
    }

    private void acknowledge(List<QueuedEvent> stored, long owner) {
        if (stored.isEmpty()) {
            return;
        }
        for (var one : stored) {
            if (scheduler.now().isBefore(one.deadline())) {
                invariants.acknowledged(one.event().id());
            }
        }
        listener.stored(stored.stream().map(QueuedEvent::event).toList(), owner);
    }

    void close() {
        isClosing = true;
        writer.wake();
        var until = scheduler.now().plusSeconds(4);
        while (!isEmpty() && scheduler.now().isBefore(until)) {
            scheduler.sleep(Duration.ofMillis(50));
        }
    }
}
