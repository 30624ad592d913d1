package dev.sluice.platform.db;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// Logs a database's outages. An outage is logged at most once a minute while it lasts, and its end
/// is logged once, no matter how many transactions fail. All connections of this process to the
/// same database share one object. Thread-safe.
///
/// A call may wait so long for a connection from the pool that it fails after the outage has ended
/// for other connections. The failure then belongs to the outage during which the call started, and
/// does not start a new one.
///
/// During an outage, the log omits the warnings of callers whose transactions failed; see
/// [dev.sluice.platform.log.OutageFilter].
final class OutageLog {

    private static final Logger log = LoggerFactory.getLogger(OutageLog.class);

    /// How much time must have passed since the last failure before a success ends the outage. This
    /// is longer than a pool waits for a connection, so that an outage does not end while some
    /// connections are still failing.
    static final Duration MIN_QUIET = Duration.ofSeconds(6);

    private static final Duration REPEAT_INTERVAL = Duration.ofMinutes(1);

    private static final Map<String, OutageLog> BY_URL = new ConcurrentHashMap<>();

    private final LongSupplier nanos;

    /// Whether there is an outage. Written only by threads that hold this object's monitor, but
    /// read without it.
    private volatile boolean isAway;

    /// How many outages have ended. Written and read like `isAway`.
    private volatile int ended;

    /// The number of failures during the outage. This field and the next three are guarded by this
    /// object's monitor.
    private int failures;

    private long firstFailureNanos;
    private long lastFailureNanos;
    private long lastLineNanos;

    /// @param nanos the monotonic clock of this process
    OutageLog(LongSupplier nanos) {
        this.nanos = nanos;
    }

    static OutageLog of(Database database) {
        return BY_URL.computeIfAbsent(database.jdbcUrl(), _ -> new OutageLog(System::nanoTime));
    }

    /// Returns the number of outages that have ended so far. Must be called before each
    /// transaction; if the transaction fails, the caller passes the result to [#failed].
    int begin() {
        return ended;
    }

    /// Counts the failure if the connection was lost. Ignores other failures.
    ///
    /// @param begun the number that `begin` returned before the transaction
    void failed(DbException e, int begun) {
        if (e.isConnectionLost()) {
            lost(e, begun);
        }
    }

    private synchronized void lost(DbException e, int begun) {
        if (!isAway && begun != ended) {
            return;
        }
        lastFailureNanos = nanos.getAsLong();
        if (!isAway) {
            isAway = true;
            failures = 0;
            firstFailureNanos = lastFailureNanos;
            lastLineNanos = lastFailureNanos - REPEAT_INTERVAL.toNanos();
        }
        failures++;
        if (lastFailureNanos - lastLineNanos >= REPEAT_INTERVAL.toNanos()) {
            lastLineNanos = lastFailureNanos;
            String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            log.atWarn()
                    .addKeyValue("reason", reason)
                    .addKeyValue("failures", failures)
                    .log("database.lost");
        }
    }

    /// Must be called after each committed transaction. Costs one volatile read while there is no
    /// outage.
    void succeeded() {
        if (isAway) {
            answered();
        }
    }

    private synchronized void answered() {
        long now = nanos.getAsLong();
        if (isAway && now - lastFailureNanos >= MIN_QUIET.toNanos()) {
            isAway = false;
            ended++;
            log.atInfo()
                    .addKeyValue(
                            "milliseconds",
                            Duration.ofNanos(lastFailureNanos - firstFailureNanos).toMillis())
                    .addKeyValue("failures", failures)
                    .log("database.returned");
        }
    }
}
