package dev.sluice.relay.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The deliveries of one destination that are in memory, and how many of them are being sent.
///
/// Fresh and waiting ones take turns while there are both. All methods are short and hold the
/// monitor of this object.
final class Outbox {

    /// Room for fresh deliveries, those of commits under way included.
    static final int MOST_FRESH = 2_048;

    private final Pace pace;
    private final ArrayDeque<Ready> fresh = new ArrayDeque<>();
    private final ArrayDeque<Ready> waiting = new ArrayDeque<>();
    private int reserved;
    private int senders;
    private boolean isStarved;
    private boolean wasFreshLast;
    private boolean isRetired;

    /// @param pace of its attempts, should there be a rate limit
    Outbox(Pace pace) {
        this.pace = pace;
    }

    Pace pace() {
        return pace;
    }

    /// Keeps room for one fresh delivery, if there are fewer than `most` and it is not retired.
    synchronized boolean reserve(int most) {
        if (isRetired || reserved + fresh.size() >= most) {
            return false;
        }
        reserved++;
        return true;
    }

    synchronized void cancel() {
        reserved--;
    }

    /// Into the room that was reserved.
    synchronized void addFresh(Ready ready) {
        reserved--;
        fresh.add(ready);
    }

    synchronized void addWaiting(Ready ready) {
        waiting.add(ready);
    }

    /// True when there is something to send and one more may be sent at once; a sender is counted
    /// then.
    synchronized boolean addSender(int limit) {
        if (senders >= limit || (fresh.isEmpty() && waiting.isEmpty())) {
            return false;
        }
        senders++;
        return true;
    }

    /// A sender that could not be started, or that ends before it found nothing.
    synchronized void removeSender() {
        senders--;
    }

    /// The next to be sent by a sender already counted; empty ends that sender.
    synchronized Optional<Ready> next(int limit) {
        if (senders > limit || (fresh.isEmpty() && waiting.isEmpty())) {
            senders--;
            return Optional.empty();
        }
        boolean isWaitingsTurn = wasFreshLast || fresh.isEmpty();
        wasFreshLast = waiting.isEmpty() || !isWaitingsTurn;
        return Optional.of(wasFreshLast ? fresh.remove() : waiting.remove());
    }

    /// True for the first who finds this destination waiting for a permit of the node.
    synchronized boolean markStarved() {
        boolean first = !isStarved;
        isStarved = true;
        return first;
    }

    synchronized void clearStarved() {
        isStarved = false;
    }

    /// Keeps no room any more, if nothing is here, nothing is being sent and no room is kept; false
    /// otherwise.
    synchronized boolean retire() {
        isRetired =
                fresh.isEmpty() && waiting.isEmpty() && reserved == 0 && senders == 0 && !isStarved;
        return isRetired;
    }

    /// Everything that is not being sent.
    synchronized List<Ready> drain() {
        var all = new ArrayList<Ready>(fresh);
        all.addAll(waiting);
        fresh.clear();
        waiting.clear();
        return all;
    }
}
