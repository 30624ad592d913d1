package dev.sluice.relay.store;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The way of results into the database: a group commit like the [Journal]'s.
///
/// Results stay in memory until their commit is known, and are written again after a lost
/// connection: that is safe, because writing them twice changes nothing. One thread writes. When
/// the database is away for long, `add` blocks.
public final class Results implements ResultQueue, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Results.class);

    private static final int MOST_QUEUED = 20_000;
    private static final int MOST_RESULTS = 512;

    /// So many are worth writing at once; fewer rest for a moment, once, in which more may come.
    private static final int COMPANY = 64;

    /// What a stop waits for the database at most.
    private static final Duration STOP = Duration.ofSeconds(4);

    private static final Duration LINGER = Duration.ofMillis(4);

    private final Line line;
    private final Partitions partitions;
    private final LongSupplier epoch;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final BlockingQueue<Settled> queue = new LinkedBlockingQueue<>(MOST_QUEUED);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread writer =
            Thread.ofPlatform().name("results").daemon().unstarted(this::write);

    /// Set before the writing thread starts.
    private ResultsListener listener = (_, _) -> {};

    public Results(
            Line line, Partitions partitions, LongSupplier epoch, Uuid7 ids, InstantSource clock) {
        this.line = line;
        this.partitions = partitions;
        this.epoch = epoch;
        this.ids = ids;
        this.clock = clock;
    }

    public void start(ResultsListener told) {
        listener = told;
        writer.start();
    }

    @Override
    public void add(Settled settled) throws InterruptedException {
        queue.put(settled);
    }

    private void write() {
        try {
            while (true) {
                var first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    commitOrForget(batchFrom(first));
                } else if (closing.getCount() == 0) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            line.close();
        }
    }

    private List<Settled> batchFrom(Settled first) throws InterruptedException {
        if (queue.size() < COMPANY) {
            boolean _ = closing.await(LINGER.toNanos(), TimeUnit.NANOSECONDS);
        }
        var batch = new ArrayList<Settled>();
        batch.add(first);
        queue.drainTo(batch, MOST_RESULTS - 1);
        return batch;
    }

    /// A bug must not end the thread: nothing would be finished any more. What it was about is
    /// found by the look for leaks and sent again.
    private void commitOrForget(List<Settled> batch) throws InterruptedException {
        try {
            commit(batch);
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("results", batch.size()).setCause(e).log("results.crashed");
            listener.written(batch, List.of());
        }
    }

    /// Until it is known to be committed. A batch that the database refuses for another reason is
    /// tried result by result, so that one that cannot be written does not hold up the others.
    private void commit(List<Settled> batch) throws InterruptedException {
        for (int failures = 0; ; failures++) {
            try {
                listener.written(
                        batch,
                        line.call(tx ->
                                ResultStore.write(
                                        tx, dueFromNow(batch), ids.next(), epoch.getAsLong())));
                return;
            } catch (DbException e) {
                log.atWarn()
                        .addKeyValue("results", batch.size())
                        .setCause(e)
                        .log("results.commit_failed");
                if (e.isMissingPartition()) {
                    partitions.makeMissing(clock.instant());
                }
                boolean isTheirs = e.isConnectionLost() || e.isOutOfResources();
                if (failures >= (isTheirs ? e.patience() : 1)) {
                    commitApart(batch);
                    return;
                }
                pause(failures);
            }
        }
    }

    /// A result may have waited long for the database. Due times are never written into the past:
    /// who reads a lane relies on it (see `LaneReader`).
    private List<Settled> dueFromNow(List<Settled> batch) {
        var now = clock.instant();
        return batch.stream().map(settled -> settled.dueFrom(now)).toList();
    }

    private void commitApart(List<Settled> batch) throws InterruptedException {
        if (batch.size() == 1) {
            log.atError()
                    .addKeyValue("delivery_id", batch.getFirst().work().id())
                    .log("results.lost");
            listener.written(batch, List.of());
            return; // its row stands: it is found and sent again
        }
        for (var settled : batch) {
            commit(List.of(settled));
        }
    }

    /// Ended early by close, after which rounds go on without rest until the queue is empty.
    private void pause(int failures) throws InterruptedException {
        long millis = Math.min(20L << Math.min(failures, 6), 1_000);
        if (closing.await(millis, TimeUnit.MILLISECONDS) && failures > 5) {
            throw new InterruptedException("the database is away while stopping");
        }
    }

    /// Returns when all results are written, or the database is away.
    @Override
    public void close() {
        closing.countDown();
        try {
            if (!writer.join(STOP)) {
                writer.interrupt();
            }
        } catch (InterruptedException e) {
            writer.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
