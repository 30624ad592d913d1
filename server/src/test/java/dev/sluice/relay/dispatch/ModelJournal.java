package dev.sluice.relay.dispatch;

import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.JournalListener;
import dev.sluice.relay.store.ModelStore;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/// The steps of `relay.store.Journal`: a batch in doubt is looked for before it is written again,
/// and what passed its deadline is not written any more.
final class ModelJournal {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// An event and until when its sender waits.
    private record Offered(Accepted event, Instant deadline) {}

    private final Baton baton;
    private final RandomGenerator random;
    private final ModelDatabase database;
    private final ModelLife life;
    private final Watch watch;
    private final boolean looks;
    private final ArrayDeque<Offered> queue = new ArrayDeque<>();
    private final JournalListener listener;
    private final Baton.Turn writer;
    private boolean isClosing;
    private int underWay;

    /// @param looks whether a batch in doubt is looked for, as it should be
    ModelJournal(
            Baton baton,
            RandomGenerator random,
            ModelDatabase database,
            ModelLife life,
            Watch watch,
            JournalListener listener,
            boolean looks) {
        this.baton = baton;
        this.random = random;
        this.database = database;
        this.life = life;
        this.watch = watch;
        this.listener = listener;
        this.looks = looks;
        this.writer = baton.start(life.process(), "journal", this::write);
    }

    boolean offer(Accepted event) {
        if (isClosing) {
            return false;
        }
        queue.add(new Offered(event, baton.now().plus(PATIENCE)));
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
                baton.sleepUntil(Instant.MAX);
                continue;
            }
            var batch = new ArrayList<Offered>();
            while (!queue.isEmpty() && batch.size() < 8) {
                batch.add(queue.remove());
            }
            underWay = batch.size();
            commit(batch);
            underWay = 0;
        }
    }

    private void commit(List<Offered> batch) {
        var left = batch;
        var late = new ArrayList<Offered>();
        var inDoubt = OptionalLong.empty();
        long owner = life.epoch();
        while (!left.isEmpty()) {
            try {
                if (inDoubt.isPresent() && isStored(left.getFirst())) {
                    owner = inDoubt.getAsLong();
                    break;
                }
                left = withoutOverdue(left, late, inDoubt.isPresent());
                owner = life.epoch();
                writeOnce(left, owner);
                break;
            } catch (ModelStore.Duplicate e) {
                owner = inDoubt.orElseThrow();
                break;
            } catch (ModelDatabase.Lost e) {
                if (!looks) {
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
        baton.sleep(Duration.ofMillis(20 + random.nextInt(1_000)));
    }

    private boolean isStored(Offered one) {
        return database.call(life, "in doubt", () -> database.store().isStored(one.event().id()));
    }

    private List<Offered> withoutOverdue(List<Offered> all, List<Offered> late, boolean isInDoubt) {
        var left = new ArrayList<Offered>();
        for (var one : all) {
            if (baton.now().isBefore(one.deadline())) {
                left.add(one);
            } else if (isInDoubt) {
                late.add(one);
            } else {
                listener.dropped(one.event());
            }
        }
        return left;
    }

    private void writeOnce(List<Offered> batch, long owner) {
        if (batch.isEmpty()) {
            return;
        }
        var events = batch.stream().map(Offered::event).toList();
        var now = life.clock().instant();
        database.call(
                life,
                "store " + events.size(),
                () -> {
                    database.store().store(events, owner, now);
                    return "stored";
                });
    }

    private void find(List<Offered> late, long owner) {
        for (var one : late) {
            while (true) {
                try {
                    if (isStored(one)) {
                        acknowledge(List.of(one), owner);
                    } else {
                        watch.givenUp(one.event().id());
                        listener.dropped(one.event());
                    }
                    break;
                } catch (ModelDatabase.Lost e) {
                    rest();
                }
            }
        }
    }

    private void acknowledge(List<Offered> stored, long owner) {
        if (stored.isEmpty()) {
            return;
        }
        for (var one : stored) {
            if (baton.now().isBefore(one.deadline())) {
                watch.acknowledged(one.event().id());
            }
        }
        listener.stored(stored.stream().map(Offered::event).toList(), owner);
    }

    void close() {
        isClosing = true;
        writer.wake();
        var until = baton.now().plusSeconds(4);
        while (!isEmpty() && baton.now().isBefore(until)) {
            baton.sleep(Duration.ofMillis(50));
        }
    }
}
