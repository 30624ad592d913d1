package dev.sluice.account.plan;

import java.time.Instant;

/// Time arithmetic for rate limits that count requests per clock minute.
public final class MinuteWindow {

    private static final int SECONDS = 60;

    private MinuteWindow() {}

    /// Returns the number of whole minutes between 1970-01-01T00:00Z and `now`.
    public static long number(Instant now) {
        return Math.floorDiv(now.getEpochSecond(), SECONDS);
    }

    /// Returns the number of seconds until the next minute, from 1 to 60.
    public static int secondsLeft(Instant now) {
        return SECONDS - Math.floorMod(now.getEpochSecond(), SECONDS);
    }
}
