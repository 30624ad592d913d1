package dev.sluice.relay.compression;

import com.github.luben.zstd.ZstdDictCompress;

import dev.sluice.platform.loop.Pause;
import dev.sluice.relay.StoredPayload;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/// What this node knows of one source: how many small events it sent, and the dictionary to
/// compress them with.
///
/// Request threads count and compress. All other methods are called by the thread of the
/// [DictionaryTrainer].
final class SourceTraffic {

    /// How many events a source must send before the first dictionary is tried.
    static final int FIRST_TRY_EVENTS = 200;

    /// How many times as many events are awaited after a dictionary was not worth it.
    private static final int TRY_FACTOR = 10;

    private static final long MAX_TRY_EVENTS = 2_000_000;

    private final AtomicLong events = new AtomicLong();
    private volatile @Nullable SharedDictionary<ZstdDictCompress> dictionary;

    /// The time until which `dictionary` may be used without checking the database again, by
    /// `System.nanoTime`. The machine may have slept meanwhile, which this clock need not count.
    private volatile long usableUntil;

    /// The same by the clock that tells the time, which may be set.
    private volatile Instant usableUntilTime = Instant.MIN;

    /// The number of events at which the next dictionary is tried.
    private volatile long nextTryAt = FIRST_TRY_EVENTS;

    /// The number of events at the beginning of the last round.
    private long eventsSeen;

    private long eventsPerTry = FIRST_TRY_EVENTS;
    private Instant triedAt = Instant.EPOCH;
    private boolean isDamaged;
    private Pause refreshPause = Pause.NONE;

    private final InstantSource clock;

    SourceTraffic(InstantSource clock) {
        this.clock = clock;
    }

    /// Counts an event. Returns whether the trainer should look at this source now.
    boolean count() {
        long count = events.incrementAndGet();
        return count == 1 || count == nextTryAt;
    }

    /// Returns the dictionary to compress with, acquired for the caller; null if there is none.
    @Nullable SharedDictionary<ZstdDictCompress> acquire() {
        var found = dictionary;
        return found != null
                        && usableUntil - System.nanoTime() > 0
                        && clock.instant().isBefore(usableUntilTime)
                        && found.tryAcquire()
                ? found
                : null;
    }

    /// Returns how many events came since the last call.
    long newEvents() {
        long count = events.get();
        long fresh = count - eventsSeen;
        eventsSeen = count;
        return fresh;
    }

    /// Returns the number of the dictionary in use, or [StoredPayload#PLAIN].
    int dictionaryNumber() {
        var found = dictionary;
        return found == null ? StoredPayload.PLAIN : found.number();
    }

    /// Uses another dictionary from now on, or none if it is null.
    void setDictionary(@Nullable SharedDictionary<ZstdDictCompress> other) {
        var former = dictionary;
        dictionary = other;
        if (former != null) {
            former.close();
        }
    }

    /// Allows the dictionary in use for this time.
    ///
    /// @param nanos the time by `System.nanoTime` from which it counts
    /// @param now the same by the clock that tells the time
    void setUsable(long nanos, Instant now, Duration length) {
        usableUntilTime = now.plus(length);
        usableUntil = nanos + length.toNanos();
    }

    /// Whether the source has a current dictionary that cannot be used.
    boolean isDamaged() {
        return isDamaged;
    }

    /// Records whether the current dictionary cannot be used. If so, another one is tried at once.
    void setDamaged(boolean value) {
        if (value && !isDamaged) {
            nextTryAt = events.get();
        }
        isDamaged = value;
    }

    /// Whether the database was asked for the source's current dictionary.
    boolean isLookedUp() {
        return !refreshPause.equals(Pause.NONE);
    }

    /// Returns the time during which the current dictionary is not looked up again.
    Pause refreshPause() {
        return refreshPause;
    }

    void setRefreshPause(Pause pause) {
        refreshPause = pause;
    }

    Instant triedAt() {
        return triedAt;
    }

    /// Whether enough events came since the last try.
    boolean hasEnoughEvents() {
        return events.get() >= nextTryAt;
    }

    /// Records that a dictionary was tried.
    ///
    /// @param hasDictionary whether the source has a dictionary; if not, the next try comes much
    ///   later
    void tried(Instant now, boolean hasDictionary) {
        triedAt = now;
        eventsPerTry =
                hasDictionary
                        ? FIRST_TRY_EVENTS
                        : Math.min(eventsPerTry * TRY_FACTOR, MAX_TRY_EVENTS);
        nextTryAt = events.get() + eventsPerTry;
    }
}
