package dev.sluice.engine.compression;

import com.github.luben.zstd.ZstdDictCompress;

import dev.sluice.engine.StoredPayload;
import dev.sluice.platform.loop.Pause;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/// One source's traffic as this node sees it: the number of small events, and the dictionary with
/// which they are compressed.
///
/// Request threads call only [#count] and [#acquire]. The other methods are called only by the
/// [DictionaryTrainer]'s thread.
final class SourceTraffic {

    /// The number of events that a source must send before the trainer first tries to make a
    /// dictionary.
    static final int FIRST_TRY_EVENTS = 200;

    /// If a dictionary was not worthwhile, the next try needs this many times as many events.
    private static final int TRY_FACTOR = 10;

    private static final long MAX_TRY_EVENTS = 2_000_000;

    private final AtomicLong events = new AtomicLong();
    private volatile @Nullable SharedDictionary<ZstdDictCompress> dictionary;

    /// The time until which `dictionary` may be used without checking the database again, as a
    /// `System.nanoTime` value. That clock may stop while the machine sleeps.
    private volatile long usableUntil;

    /// The same time limit as an instant of `clock`. That clock can be set to another time, but it
    /// keeps running while the machine sleeps.
    private volatile Instant usableUntilTime = Instant.MIN;

    /// The value of `events` at which the trainer next tries to make a dictionary.
    private volatile long nextTryAt = FIRST_TRY_EVENTS;

    /// The value of `events` when [#newEvents] was last called.
    private long eventsSeen;

    private long eventsPerTry = FIRST_TRY_EVENTS;
    private Instant triedAt = Instant.EPOCH;
    private boolean isDamaged;
    private Pause refreshPause = Pause.NONE;

    private final InstantSource clock;

    SourceTraffic(InstantSource clock) {
        this.clock = clock;
    }

    /// Counts an event. Returns whether the trainer should now check this source.
    boolean count() {
        long count = events.incrementAndGet();
        return count == 1 || count == nextTryAt;
    }

    /// Acquires the dictionary for compression and returns it, or returns null if no dictionary may
    /// be used now. The caller must release it.
    @Nullable SharedDictionary<ZstdDictCompress> acquire() {
        var found = dictionary;
        return found != null
                        && usableUntil - System.nanoTime() > 0
                        && clock.instant().isBefore(usableUntilTime)
                        && found.tryAcquire()
                ? found
                : null;
    }

    /// Returns the number of events that have arrived since the last call.
    long newEvents() {
        long count = events.get();
        long fresh = count - eventsSeen;
        eventsSeen = count;
        return fresh;
    }

    /// Returns the number of the dictionary in use, or [StoredPayload#PLAIN] if there is none.
    int dictionaryNumber() {
        var found = dictionary;
        return found == null ? StoredPayload.PLAIN : found.number();
    }

    /// Switches to another dictionary, or to none if `other` is null.
    void setDictionary(@Nullable SharedDictionary<ZstdDictCompress> other) {
        var former = dictionary;
        dictionary = other;
        if (former != null) {
            former.close();
        }
    }

    /// Allows the current dictionary to be used for a period of the given length.
    ///
    /// @param nanos the start of that period, as a `System.nanoTime` value
    /// @param now the start of that period, as an instant
    void setUsable(long nanos, Instant now, Duration length) {
        usableUntilTime = now.plus(length);
        usableUntil = nanos + length.toNanos();
    }

    /// Whether the source's current dictionary is too damaged to be used.
    boolean isDamaged() {
        return isDamaged;
    }

    /// Records whether the current dictionary is too damaged to be used. If it is, makes the source
    /// due for a new dictionary immediately.
    void setDamaged(boolean value) {
        if (value && !isDamaged) {
            nextTryAt = events.get();
        }
        isDamaged = value;
    }

    /// Whether the source's current dictionary has been looked up in the database.
    boolean isLookedUp() {
        return !refreshPause.equals(Pause.NONE);
    }

    /// Returns the pause that limits how often the current dictionary is looked up.
    Pause refreshPause() {
        return refreshPause;
    }

    void setRefreshPause(Pause pause) {
        refreshPause = pause;
    }

    Instant triedAt() {
        return triedAt;
    }

    /// Whether enough events have arrived since the trainer last tried to make a dictionary.
    boolean hasEnoughEvents() {
        return events.get() >= nextTryAt;
    }

    /// Records that the trainer tried to make a dictionary.
    ///
    /// @param hasDictionary whether the source has a dictionary; if not, the next try needs many
    ///   more events
    void tried(Instant now, boolean hasDictionary) {
        triedAt = now;
        eventsPerTry =
                hasDictionary
                        ? FIRST_TRY_EVENTS
                        : Math.min(eventsPerTry * TRY_FACTOR, MAX_TRY_EVENTS);
        nextTryAt = events.get() + eventsPerTry;
    }
}
