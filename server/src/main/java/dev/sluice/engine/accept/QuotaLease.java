package dev.sluice.engine.accept;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/// The tokens of a workspace's monthly quota that this node has reserved. Each token allows the
/// node to store one event.
///
/// Thread-safe: all methods are short and synchronized.
final class QuotaLease {

    /// How long a node assumes that a quota is still empty after it was found empty. After this
    /// time, the node asks the database again, because another node may have returned tokens.
    private static final Duration EMPTY_CACHE_TTL = Duration.ofSeconds(1);

    /// The number of consecutive idle checks, about one a second, after which a lease returns its
    /// unused tokens. A minute is soon enough for other nodes to use the tokens in the same month.
    /// If the time were much shorter, a node would reserve and return tokens for each event of a
    /// workspace with few events.
    static final int IDLE_CHECKS = 60;

    private long tokens;

    /// The number of idle checks since the lease was last used.
    private int unusedChecks;

    private @Nullable CompletableFuture<Long> pendingFetch;
    private @Nullable Instant foundEmptyAt;

    /// Returns how many tokens a node reserves at a time from a quota of `cap` tokens, of which
    /// `taken` are already reserved or spent.
    ///
    /// A chunk is at most a hundredth of the quota (but at least one token) and at most 1,000
    /// tokens, so that a crash loses little. Chunks become smaller toward the end of the quota, so
    /// that every node can still get some of the last tokens.
    static long chunkSize(long cap, long taken) {
        long left = Math.max(0, cap - taken);
        long most = Math.clamp(cap / 100, 1, 1_000);
        return Math.min(left, Math.clamp(left / 16, 1, most));
    }

    /// Spends one token. Returns false if none is left.
    synchronized boolean spend() {
        if (tokens == 0) {
            return false;
        }
        tokens--;
        unusedChecks = 0;
        return true;
    }

    /// Puts a token back into this lease. Called if the event that the token was spent for was not
    /// stored.
    synchronized void giveBack() {
        tokens++;
        unusedChecks = 0;
    }

    synchronized boolean isKnownEmpty(Instant now) {
        return foundEmptyAt != null
                && !now.isBefore(foundEmptyAt)
                && now.isBefore(foundEmptyAt.plus(EMPTY_CACHE_TTL));
    }

    /// Reserves more tokens in the database, on a separate thread. The returned future completes
    /// with the number of new tokens, once they can be spent. If a call is already in progress,
    /// returns the future of that call.
    ///
    /// @param take reserves tokens in the database and returns their number
    synchronized CompletableFuture<Long> fetchMore(LongSupplier take, Instant now) {
        if (pendingFetch != null) {
            return pendingFetch;
        }
        var fetch = new CompletableFuture<Long>();
        pendingFetch = fetch;
        Thread.ofVirtual()
                .name("quota")
                .start(() -> {
                    try {
                        long fetched = take.getAsLong();
                        add(fetched, now);
                        fetch.complete(fetched);
                    } catch (RuntimeException | Error e) {
                        add(0, Instant.EPOCH);
                        fetch.completeExceptionally(e);
                    }
                });
        return fetch;
    }

    private synchronized void add(long fetched, Instant now) {
        tokens += fetched;
        pendingFetch = null;
        foundEmptyAt = fetched == 0 ? now : null;
    }

    /// Counts one idle check. Returns true if the lease has tokens and has not been used for more
    /// than [#IDLE_CHECKS] checks.
    synchronized boolean checkIdle() {
        unusedChecks = Math.min(unusedChecks + 1, IDLE_CHECKS + 1);
        return unusedChecks > IDLE_CHECKS && tokens > 0;
    }

    synchronized boolean isSpent() {
        return tokens == 0 && pendingFetch == null;
    }

    /// Puts back the tokens that `drain` removed.
    synchronized void restore(long drained) {
        tokens += drained;
    }

    /// Removes and returns all tokens.
    synchronized long drain() {
        long drained = tokens;
        tokens = 0;
        return drained;
    }
}
