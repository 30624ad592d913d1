package dev.sluice.features.alerts;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The number of messages sent in the last hour, minute by minute. Immutable; reads no clock.
///
/// The sum covers the current minute and the sixty minutes before it. A limit on the sum therefore
/// holds for every period of sixty minutes, whenever the period begins.
///
/// @param minute the newest minute, as the number of minutes since the start of 1970
/// @param counts the number of messages in each minute, newest first
record SlidingHour(long minute, List<Integer> counts) {

    private static final int MINUTES = 61;

    SlidingHour {
        counts = List.copyOf(counts.subList(0, Math.min(counts.size(), MINUTES)));
    }

    static long minute(Instant now) {
        return Math.floorDiv(now.getEpochSecond(), Duration.ofMinutes(1).toSeconds());
    }

    /// Returns a copy whose newest minute is the minute of `now`. If the clock was set back, the
    /// newest minute stays the same.
    SlidingHour at(Instant now) {
        long passed = Math.clamp(minute(now) - minute, 0, MINUTES);
        var shifted = new ArrayList<>(Collections.nCopies((int) passed, 0));
        shifted.addAll(counts);
        return new SlidingHour(Math.max(minute, minute(now)), shifted);
    }

    int sum() {
        return counts.stream().mapToInt(Integer::intValue).sum();
    }

    SlidingHour plusOne() {
        var more = new ArrayList<>(counts);
        if (more.isEmpty()) {
            more.add(0);
        }
        more.set(0, more.getFirst() + 1);
        return new SlidingHour(minute, more);
    }

    /// Returns when the number of counted messages falls below `max`, provided that no message is
    /// sent before then.
    Instant isBelowAt(int max) {
        int left = sum();
        int oldest = counts.size() - 1;
        while (oldest >= 0 && left >= max) {
            left -= counts.get(oldest);
            oldest--;
        }
        long passed = oldest == counts.size() - 1 ? 0 : MINUTES - 1 - oldest;
        return Instant.ofEpochSecond((minute + passed) * Duration.ofMinutes(1).toSeconds());
    }
}
