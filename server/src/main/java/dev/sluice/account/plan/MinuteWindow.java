package dev.sluice.account.plan;

import java.time.Instant;

/// The clock minute in which a rate limit counts requests.
public final class MinuteWindow {

    private static final int SECONDS = 60;

    private MinuteWindow() {}

    /// Returns the number of the minute that contains `now`, counted since 1970.
    public static long number(Instant now) {
        return Math.floorDiv(now.getEpochSecond(), SECONDS);
    }

    /// Returns the number of seconds until the next minute, from 1 to 60.
    public static int secondsLeft(Instant now) {
        return SECONDS - Math.floorMod(now.getEpochSecond(), SECONDS);
    }
}
