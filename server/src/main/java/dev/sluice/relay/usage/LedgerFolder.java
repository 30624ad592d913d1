package dev.sluice.relay.usage;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Adds new rows of the usage ledger to the usage sums, which is called folding. Every node runs
/// it, and concurrent rounds wait for each other.
///
/// While an old transaction is open, folded rows cannot be vacuumed and each round reads all of
/// them again. The folder therefore rests 100 times as long as its last round took, up to 30 s.
/// Readers of the sums add the rows that are not folded yet.
public final class LedgerFolder implements Loop.Step {

    private static final int BACKOFF_FACTOR = 100;
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

    private final Db db;
    private final LongSupplier nanos;
    private long pausedUntilNanos;

    /// @param nanos this process's monotonic clock
    public LedgerFolder(Db db, LongSupplier nanos) {
        this.db = db;
        this.nanos = nanos;
        pausedUntilNanos = nanos.getAsLong();
    }

    @Override
    public boolean run() {
        long began = nanos.getAsLong();
        if (began - pausedUntilNanos >= 0) {
            db.call(LedgerStore::fold);
            long ended = nanos.getAsLong();
            pausedUntilNanos =
                    ended + Math.min(BACKOFF_FACTOR * (ended - began), MAX_BACKOFF.toNanos());
        }
        return false;
    }
}
