package dev.sluice.relay.dispatch;

import java.time.Duration;
import java.time.Instant;

/// How quickly a destination answered of late, and how many attempts at once it has shown to bear.
///
/// It is slow when most of its last nine attempts took longer than 2 s, when the last three timed
/// out, and while attempts are under way and none has ended for 2 s. It is quick again when that is
/// no longer so. One that was never tried is quick. Guarded by its [Outbox].
final class Pulse {

    private static final Duration SLOW = Duration.ofSeconds(2);
    private static final int REMEMBERED = 9;
    private static final int LAST_NINE = (1 << REMEMBERED) - 1;
    private static final int LAST_THREE = 0b111;

    /// What a destination may have under way of which nothing is known, while permits are scarce.
    static final int LEAST_WIDTH = 2;

    /// One bit for each attempt, the latest lowest.
    private int slow;

    private int timedOut;
    private int ended;
    private int underWay;
    private int width = LEAST_WIDTH;

    /// Of what it did last: an attempt ended, or the first began.
    private Instant sign = Instant.EPOCH;

    void began(Instant now) {
        if (underWay == 0) {
            sign = now;
        }
        underWay++;
    }

    /// An attempt ended of which nothing is known.
    void withdrawn() {
        underWay--;
    }

    /// @param latency of an attempt that ended, at `now`
    /// @param isTimeout whether it ended because its time was up
    void ended(Instant now, Duration latency, boolean isTimeout) {
        sign = now.isAfter(sign) ? now : sign;
        slow = (slow << 1 | (latency.compareTo(SLOW) > 0 ? 1 : 0)) & LAST_NINE;
        timedOut = (timedOut << 1 | (isTimeout ? 1 : 0)) & LAST_THREE;
        ended = Math.min(ended + 1, REMEMBERED);
        width = isTimeout ? LEAST_WIDTH : widthAfterAnswer();
        underWay--;
    }

    /// Twice what it is used to: one more with each answer, which doubles it with each round, and
    /// one less while it needs an eighth of it.
    private int widthAfterAnswer() {
        if (2 * underWay > width) {
            return width + 1;
        }
        return 8 * underWay <= width ? Math.max(LEAST_WIDTH, width - 1) : width;
    }

    boolean isSlow(Instant now) {
        boolean isSilent = underWay > 0 && now.isAfter(sign.plus(SLOW));
        return isSilent || timedOut == LAST_THREE || 2 * Integer.bitCount(slow) > ended;
    }

    /// Attempts at once that it may have while permits are scarce.
    int width() {
        return width;
    }
}
