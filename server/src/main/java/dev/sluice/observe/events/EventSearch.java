package dev.sluice.observe.events;

import dev.sluice.observe.events.EventQueries.EventKey;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Verification;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Looks through the ids of a list, newest first, for a text that may stand anywhere in them. No
/// index serves that, so it ends when its time is up, and says so.
final class EventSearch {

    /// With what else a list takes, it stays below a tenth of a second.
    static final Duration BUDGET = Duration.ofMillis(35);

    /// Ids that are looked through before the first look at the time.
    private static final int FIRST_STEP = 2_000;

    private static final int LEAST_STEP = 500;
    private static final int LONGEST_STEP = 50_000;

    /// @param matches newest first
    /// @param isWhole whether it came to the end
    record Found(List<EventKey> matches, boolean isWhole) {}

    private EventSearch() {}

    static Found run(
            Tx tx,
            EventList list,
            Optional<Verification> verification,
            IdText.Within text,
            Duration budget) {
        long start = System.nanoTime();
        long total = list.total();
        var matches = new ArrayList<EventKey>();
        long offset = 0;
        for (int step = FIRST_STEP; offset < total; ) {
            matches.addAll(EventQueries.matches(tx, list.find(offset, step), verification, text));
            offset += step;
            long taken = System.nanoTime() - start;
            long left = budget.toNanos() - taken;
            if (left <= 0) {
                break;
            }
            // as many as the time that is left is enough for, as fast as it went so far
            step = (int) Math.clamp(offset * (double) left / taken, LEAST_STEP, LONGEST_STEP);
        }
        return new Found(matches, offset >= total);
    }
}
