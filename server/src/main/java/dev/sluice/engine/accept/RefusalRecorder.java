package dev.sluice.engine.accept;

import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.engine.RefusalReason;
import dev.sluice.engine.accept.RefusalCounter.RefusalKey;
import dev.sluice.engine.ledger.LedgerRow;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.engine.ledger.LedgerStore.TransactionStatus;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

/// Writes the counted refusals to the usage ledger in small batches, and logs one line for each
/// source and minute.
///
/// Events that failed verification are logged but not written to the ledger here, because they are
/// stored and counted as events. If the process is killed, refusals that have not been written yet
/// are lost. Normally, these are the refusals since the last round. If the database has not been
/// responding, they include older ones. If it is unknown whether a batch was committed, the
/// recorder asks PostgreSQL for the outcome of the transaction before it writes the batch again.
///
/// Not thread-safe.
public final class RefusalRecorder implements Loop.Step {

    public static final Duration INTERVAL = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(RefusalRecorder.class);

    private static final int MAX_BATCH_KEYS = 500;

    /// The maximum number of batches that wait while the database is not responding. Further
    /// batches are dropped.
    private static final int MAX_WAITING_BATCHES = 40;

    /// The maximum number of lines logged for one minute. If more sources had refusals in that
    /// minute, one extra line gives the number of remaining sources.
    private static final int MAX_LINES_PER_MINUTE = 100;

    private record RefusalBatch(UUID id, SourceId source, LedgerRow row) {}

    private final RefusalCounter counter;
    private final Db db;
    private final Supplier<UUID> ids;
    private final InstantSource clock;
    private final Deque<RefusalBatch> waiting = new ArrayDeque<>();

    /// The id of the transaction that last tried to write the first waiting batch; empty if there
    /// was none. If the connection was lost, that transaction may have been committed.
    private Optional<Long> lastTry = Optional.empty();

    /// The refusals that have not been logged yet, by minute and source.
    private final SortedMap<Long, Map<String, Map<RefusalReason, Integer>>> unlogged =
            new TreeMap<>();

    public RefusalRecorder(RefusalCounter counter, Db db, Supplier<UUID> ids, InstantSource clock) {
        this.counter = counter;
        this.db = db;
        this.ids = ids;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        record(counter.take());
        logMinutesBefore(MinuteWindow.number(clock.instant()));
        writeWaiting();
        return false;
    }

    /// Writes and logs all remaining refusals. Called when the server stops.
    public void finish() {
        record(counter.take());
        logMinutesBefore(Long.MAX_VALUE);
        writeWaiting();
    }

    private void record(Map<RefusalKey, Integer> counts) {
        var stored = new ArrayList<RefusalKey>();
        counts.forEach((key, count) -> {
            unlogged.computeIfAbsent(key.minute(), _ -> new TreeMap<>())
                    .computeIfAbsent(key.source().toString(), _ -> new TreeMap<>())
                    .merge(key.reason(), count, Integer::sum);
            if (key.reason() != RefusalReason.VERIFICATION_FAILED) {
                stored.add(key);
            }
        });
        for (int from = 0; from < stored.size(); from += MAX_BATCH_KEYS) {
            int to = Math.min(from + MAX_BATCH_KEYS, stored.size());
            addBatch(stored.subList(from, to), counts);
        }
    }

    private void addBatch(List<RefusalKey> keys, Map<RefusalKey, Integer> counts) {
        if (waiting.size() == MAX_WAITING_BATCHES) {
            return; // the database has not responded for a long time
        }
        var row = new LedgerRow();
        for (var key : keys) {
            row.addRefusals(key.source(), key.minute(), key.reason(), counts.getOrDefault(key, 0));
        }
        waiting.add(new RefusalBatch(ids.get(), keys.getFirst().source(), row));
    }

    private void writeWaiting() {
        for (var batch = waiting.peek(); batch != null; batch = waiting.peek()) {
            var status = lastTry.map(this::status).orElse(TransactionStatus.ABORTED);
            if (status == TransactionStatus.IN_PROGRESS) {
                return; // the next round asks again
            }
            if (status == TransactionStatus.ABORTED) {
                write(batch);
            }
            waiting.remove();
            lastTry = Optional.empty();
        }
    }

    private TransactionStatus status(long transaction) {
        return db.call(tx -> LedgerStore.transactionStatus(tx, transaction));
    }

    private void write(RefusalBatch batch) {
        db.run(tx -> {
            lastTry = Optional.of(LedgerStore.transactionNumber(tx));
            LedgerStore.write(tx, batch.row(), batch.id(), batch.source());
        });
    }

    private void logMinutesBefore(long minute) {
        var over = unlogged.headMap(minute);
        over.forEach(RefusalRecorder::logMinute);
        over.clear();
    }

    private static void logMinute(long minute, Map<String, Map<RefusalReason, Integer>> bySource) {
        var start = Instant.EPOCH.plus(Duration.ofMinutes(minute));
        bySource.entrySet().stream()
                .limit(MAX_LINES_PER_MINUTE)
                .forEach(source ->
                        log.atInfo()
                                .addKeyValue("source_id", source.getKey())
                                .addKeyValue("minute", start)
                                .addKeyValue("requests", sum(source.getValue()))
                                .addKeyValue("reasons", text(source.getValue()))
                                .log("ingest.refused"));
        if (bySource.size() > MAX_LINES_PER_MINUTE) {
            log.atInfo()
                    .addKeyValue("minute", start)
                    .addKeyValue("sources", bySource.size() - MAX_LINES_PER_MINUTE)
                    .log("ingest.others_refused");
        }
    }

    private static int sum(Map<RefusalReason, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /// Returns the counts as a string such as `rate_limited: 12, not_stored: 1`.
    private static String text(Map<RefusalReason, Integer> counts) {
        var parts = new ArrayList<String>();
        counts.forEach((reason, count) -> parts.add(reason.text() + ": " + count));
        return String.join(", ", parts);
    }
}
