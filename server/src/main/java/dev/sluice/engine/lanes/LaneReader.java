package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.platform.loop.Pause;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// A cursor over the due deliveries of one lane that this node has leased.
///
/// The cursor moves forward, so that dead index entries and deliveries already in memory are not
/// read again and again. A read starts over if the previous read reached the end of the lane, or if
/// the last restart was more than five seconds ago. Such a read begins at the floor, a due time
/// before which no more rows can appear, and therefore finds rows that were committed behind the
/// cursor. The floor exists because no transaction lives longer than a minute and no due time is
/// set in the past. If the clock is set back, the floor is reset.
///
/// A resting lane is not read. A lane that was read to its end rests if some of its deliveries are
/// in memory. It rests until one of them leaves memory, the next delivery is due, or the lane is
/// woken. A wake-up may be lost, so the rest also ends after some time. A lane that cannot be read
/// also rests, so that it does not hold up other lanes.
///
/// Used only by [Backlog]'s thread, except while the reader is lent to [ProbeLoop]. Until
/// [ProbeLoop] returns it, [Backlog]'s thread may change it only through `forget` and `rouse`.
final class LaneReader {

    private static final Duration RESTART_INTERVAL = Duration.ofSeconds(5);

    /// The maximum time that a lane may rest after it was read to its end. Each read looks this far
    /// ahead, to find out when the next delivery is due.
    static final Duration MAX_REST_AT_END = Duration.ofSeconds(30);

    /// The maximum age of a transaction, even if its connection has broken.
    static final Duration MAX_TRANSACTION_AGE = Duration.ofSeconds(60);

    private static final Duration MIN_REST = Duration.ofSeconds(1);
    private static final int MAX_DOUBLINGS = 6;
    private static final UUID MIN_ID = new UUID(0, 0);

    private final LaneStore.LeasedLane leased;
    private final Map<DeliveryId, UnfinishedDelivery> inMemory = new ConcurrentHashMap<>();
    private Instant floor = Instant.EPOCH;
    private Instant positionTime = Instant.EPOCH;
    private UUID positionId = MIN_ID;
    private boolean isAtEnd = true;
    private Pause restartPause = Pause.NONE;
    private boolean foundNothing;

    /// When the next delivery is due. Each read looks [#MAX_REST_AT_END] ahead; the value is
    /// [Instant#MAX] if the last read saw no delivery in that time.
    private Instant nextDue = Instant.MAX;

    private volatile Pause restAtEnd = Pause.NONE;

    /// The number of failures in a row.
    private int failures;

    private Instant blockedSince = Instant.MAX;
    private boolean isBlocked;
    private Pause rest = Pause.NONE;

    LaneReader(LaneStore.LeasedLane leased) {
        this.leased = leased;
    }

    Lane lane() {
        return leased.lane();
    }

    WorkspaceId workspace() {
        return leased.workspace();
    }

    /// Returns the number of this lane's deliveries in memory.
    int inMemory() {
        return inMemory.size();
    }

    boolean isInMemory(UnfinishedDelivery delivery) {
        return inMemory.containsKey(delivery.id());
    }

    void add(UnfinishedDelivery delivery) {
        inMemory.put(delivery.id(), delivery);
    }

    /// Removes this delivery from the deliveries in memory, and ends the rest that [#restAtEnd]
    /// began. Compares deliveries by identity, because this node may have read the same delivery
    /// again after the node was declared dead. A call with the older object must then not remove
    /// the newer one.
    @SuppressWarnings("ReferenceEquality")
    void forget(UnfinishedDelivery delivery) {
        inMemory.computeIfPresent(delivery.id(), (_, known) -> known == delivery ? null : known);
        rouse();
    }

    /// Lets the lane rest if the last read reached the lane's end and some of its deliveries are in
    /// memory.
    ///
    /// @param longest the maximum duration of the rest
    void restAtEnd(Instant now, Duration longest) {
        if (isAtEnd && !inMemory.isEmpty()) {
            var until = now.plus(longest);
            restAtEnd = new Pause(now, nextDue.isBefore(until) ? nextDue : until);
        }
    }

    /// Ends the rest that [#restAtEnd] began; does nothing if there is none.
    void rouse() {
        restAtEnd = Pause.NONE;
    }

    boolean isRestingAtEnd(Instant now) {
        return !restAtEnd.isOver(now);
    }

    /// Lets the lane rest after a failure: for one second, and twice as long after each further
    /// failure, up to 64 seconds.
    void failed(Instant now) {
        blocked(now);
        rest = Pause.of(now, MIN_REST.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS)));
        failures++;
    }

    /// Records that the lane's due deliveries cannot be loaded now.
    void blocked(Instant now) {
        isBlocked = true;
        blockedSince = blockedSince.equals(Instant.MAX) ? now : blockedSince;
    }

    void beginRound() {
        isBlocked = false;
    }

    /// Ends a round that did not fail.
    void endRound() {
        failures = 0;
        blockedSince = isBlocked ? blockedSince : Instant.MAX;
    }

    /// Lets the lane rest for `time`, without counting this as a failure.
    void restFor(Instant now, Duration time) {
        rest = Pause.of(now, time);
    }

    boolean isResting(Instant now) {
        return !rest.isOver(now);
    }

    /// Returns when the lane became blocked, or [Instant#MAX] if it is not. While a lane is
    /// blocked, none of its due deliveries can be loaded.
    Instant blockedSince() {
        return blockedSince;
    }

    /// Returns whether the last read found no due deliveries beyond those already in memory.
    boolean foundNothing() {
        return foundNothing;
    }

    /// Returns up to `limit` due deliveries that are not in memory. Leaves the cursor in front of
    /// them; the caller moves it with [#advance].
    List<LaneStore.WaitingDelivery> read(Lanes lanes, Instant now, int limit) {
        if (isAtEnd || restartPause.isOver(now)) {
            restart(now);
        }
        int rows = limit + inMemory.size();
        var found =
                lanes.due(leased.lane(), now.plus(MAX_REST_AT_END), positionTime, positionId, rows);
        var read = found.stream().takeWhile(waiting -> !waiting.nextAt().isAfter(now)).toList();
        isAtEnd = read.size() < rows;
        nextDue = read.size() < found.size() ? found.get(read.size()).nextAt() : Instant.MAX;
        if (positionId.equals(MIN_ID)) {
            raiseFloor(read, now);
        }
        var free = new ArrayList<LaneStore.WaitingDelivery>();
        for (var waiting : read) {
            if (!inMemory.containsKey(waiting.delivery().id())) {
                free.add(waiting);
            }
        }
        if (free.size() > limit) {
            isAtEnd = false;
        }
        foundNothing = free.isEmpty();
        return free.size() > limit ? free.subList(0, limit) : free;
    }

    private void restart(Instant now) {
        restartPause = Pause.of(now, RESTART_INTERVAL);
        floor = floor.isAfter(now) ? Instant.EPOCH : floor;
        positionTime = floor;
        positionId = MIN_ID;
    }

    private void raiseFloor(List<LaneStore.WaitingDelivery> read, Instant now) {
        var safe = now.minus(MAX_TRANSACTION_AGE);
        var first = read.isEmpty() ? now : read.getFirst().nextAt();
        floor = first.isBefore(safe) ? first : safe;
    }

    void advance(LaneStore.WaitingDelivery to) {
        positionTime = to.nextAt();
        positionId = to.delivery().id().value();
    }
}
