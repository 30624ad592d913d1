package dev.sluice.relay.dispatch;

import dev.sluice.relay.Attempt;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Trigger;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The deliveries of one destination that are in memory, and how many of them are being sent.
///
/// Live ones come before resends, of which one is sent after fifteen live ones. Of the live ones,
/// fresh and waiting ones take turns while there are both. All methods are short and hold the
/// monitor of this object.
final class Outbox {

    /// Room for fresh deliveries, those of commits under way included.
    static final int MOST_FRESH = 2_048;

    /// Sent in a row while a resend waits.
    private static final int MOST_LIVE_IN_A_ROW = 15;

    private static final Set<ErrorCode> TIMED_OUT =
            Set.of(ErrorCode.CONNECT_TIMEOUT, ErrorCode.RESPONSE_TIMEOUT);

    private final Pace pace;
    private final Pulse pulse = new Pulse();
    private final ArrayDeque<Ready> fresh = new ArrayDeque<>();
    private final ArrayDeque<Ready> waiting = new ArrayDeque<>();
    private final ArrayDeque<Ready> resends = new ArrayDeque<>();
    private int reserved;
    private int senders;
    private int liveInARow;
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
        (ready.work().trigger() == Trigger.RESEND ? resends : waiting).add(ready);
    }

    /// Whether any that is no resend is here.
    synchronized boolean hasLive() {
        return !fresh.isEmpty() || !waiting.isEmpty();
    }

    private boolean isEmpty() {
        return fresh.isEmpty() && waiting.isEmpty() && resends.isEmpty();
    }

    /// True when there is something to send and one more may be sent at once; a sender is counted
    /// then.
    synchronized boolean addSender(int limit) {
        if (senders >= limit || isEmpty()) {
            return false;
        }
        senders++;
        return true;
    }

    /// A sender that could not be started, or that ends before it found nothing. Whether there is
    /// more to send.
    synchronized boolean removeSender() {
        senders--;
        return !isEmpty();
    }

    /// The next to be sent by a sender already counted; empty ends that sender.
    synchronized Optional<Ready> next(int limit) {
        if (senders > limit || isEmpty()) {
            senders--;
            return Optional.empty();
        }
        if (!resends.isEmpty() && (!hasLive() || liveInARow >= MOST_LIVE_IN_A_ROW)) {
            liveInARow = 0;
            return Optional.of(resends.remove());
        }
        liveInARow = resends.isEmpty() ? 0 : liveInARow + 1;
        boolean isWaitingsTurn = wasFreshLast || fresh.isEmpty();
        wasFreshLast = waiting.isEmpty() || !isWaitingsTurn;
        return Optional.of(wasFreshLast ? fresh.remove() : waiting.remove());
    }

    /// An attempt begins.
    synchronized void began(Instant now) {
        pulse.began(now);
    }

    /// An attempt ended. Whether the destination is slow.
    synchronized boolean ended(Attempt attempt) {
        var at = attempt.attemptedAt().plus(attempt.latency());
        pulse.ended(
                at, attempt.latency(), attempt.errorCode().filter(TIMED_OUT::contains).isPresent());
        return pulse.isSlow(at);
    }

    /// What began was no attempt.
    synchronized void withdrawn() {
        pulse.withdrawn();
    }

    synchronized boolean isSlow(Instant now) {
        return pulse.isSlow(now);
    }

    /// How many attempts at once the destination may have while permits of the node are scarce.
    synchronized int width() {
        return pulse.width();
    }

    /// Keeps no room any more, if nothing is here, nothing is being sent and no room is kept; false
    /// otherwise.
    synchronized boolean retire() {
        isRetired = isEmpty() && reserved == 0 && senders == 0;
        return isRetired;
    }

    /// Everything that is not being sent.
    synchronized List<Ready> drain() {
        var all = new ArrayList<Ready>(fresh);
        all.addAll(waiting);
        all.addAll(resends);
        fresh.clear();
        waiting.clear();
        resends.clear();
        return all;
    }
}
