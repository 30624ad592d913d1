package dev.sluice.relay.upkeep;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.store.Ledger;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Folds the usage ledger into its sums. Any node may; two at once wait for each other.
///
/// While somebody holds a snapshot for long, what was folded cannot be vacuumed, and each round
/// reads all of it again. So a round that took its time is followed by a rest many times as long:
/// whoever asks for sums adds what is not folded yet.
public final class Folding implements Loop.Step {

    private static final int REST = 100;
    private static final Duration MOST_REST = Duration.ofSeconds(30);

    private final Db db;
    private final LongSupplier nanos;
    private long restUntil;

    /// @param nanos the monotonic clock of this process
    public Folding(Db db, LongSupplier nanos) {
        this.db = db;
        this.nanos = nanos;
        restUntil = nanos.getAsLong();
    }

    @Override
    public boolean run() {
        long began = nanos.getAsLong();
        if (began - restUntil >= 0) {
            db.call(Ledger::fold);
            long ended = nanos.getAsLong();
            restUntil = ended + Math.min(REST * (ended - began), MOST_REST.toNanos());
        }
        return false;
    }
}
