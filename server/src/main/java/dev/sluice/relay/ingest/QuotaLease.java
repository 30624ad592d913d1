package dev.sluice.relay.ingest;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/// Tokens of one workspace and month that this node took from the quota, one for each event it may
/// still store. All methods are short and hold the monitor of this object.
final class QuotaLease {

    /// How long a quota that was found used up is believed to be so: another node may give back.
    private static final Duration BELIEF = Duration.ofSeconds(1);

    /// After so many looks without use, which is about a minute, others may have what is left: soon
    /// enough for a month, and seldom enough that a quiet workspace does not take and give back for
    /// each event.
    static final int IDLE_LOOKS = 60;

    private long left;

    /// Looks at it since it was used.
    private int unused;

    private @Nullable CompletableFuture<Long> taking;
    private @Nullable Instant foundEmpty;

    /// How many tokens a node takes at once from a quota of `cap` of which `taken` are gone: at
    /// most a hundredth and at most 1 000, so that a crash loses little; toward the end fewer and
    /// fewer, so that the last ones can be had from any node.
    static long chunk(long cap, long taken) {
        long left = Math.max(0, cap - taken);
        long most = Math.clamp(cap / 100, 1, 1_000);
        return Math.min(left, Math.clamp(left / 16, 1, most));
    }

    /// False when none is left.
    synchronized boolean spend() {
        if (left == 0) {
            return false;
        }
        left--;
        unused = 0;
        return true;
    }

    /// One that was spent for nothing.
    synchronized void giveBack() {
        left++;
        unused = 0;
    }

    synchronized boolean isKnownEmpty(Instant now) {
        return foundEmpty != null
                && !now.isBefore(foundEmpty)
                && now.isBefore(foundEmpty.plus(BELIEF));
    }

    /// Asks for more tokens, on a thread of its own and once at a time. How many came, after they
    /// can be spent.
    ///
    /// @param take asks the database
    synchronized CompletableFuture<Long> more(LongSupplier take, Instant now) {
        if (taking != null) {
            return taking;
        }
        var asked = new CompletableFuture<Long>();
        taking = asked;
        Thread.ofVirtual()
                .name("quota")
                .start(() -> {
                    try {
                        long came = take.getAsLong();
                        add(came, now);
                        asked.complete(came);
                    } catch (RuntimeException | Error e) {
                        add(0, Instant.EPOCH);
                        asked.completeExceptionally(e);
                    }
                });
        return asked;
    }

    private synchronized void add(long came, Instant now) {
        left += came;
        taking = null;
        foundEmpty = came == 0 ? now : null;
    }

    /// One look: whether some are left and none was used for long.
    synchronized boolean looksIdle() {
        unused = Math.min(unused + 1, IDLE_LOOKS + 1);
        return unused > IDLE_LOOKS && left > 0;
    }

    synchronized boolean isSpent() {
        return left == 0 && taking == null;
    }

    /// Takes back what was taken out.
    synchronized void refill(long drained) {
        left += drained;
    }

    /// Takes out what is left.
    synchronized long drain() {
        long drained = left;
        left = 0;
        return drained;
    }
}
