package dev.sluice.relay.dispatch;

import dev.sluice.platform.loop.Pause;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.UnfinishedDelivery;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Lanes;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// A cursor over the due deliveries of one lane that this node has leased.
///
/// The cursor moves forward, so that dead index entries and deliveries already in memory are not
/// read again and again. When it reaches the end of the lane, and at least every five seconds, it
/// starts over to find commits that landed behind it. It restarts at the floor, a time before which
/// no row can be inserted any more: no transaction lives longer than a minute, and no due time is
/// set in the past. When the clock is set back, the floor is given up.
///
/// A lane whose reading fails rests, so that it does not hold up the others. Owned by the backlog's
/// thread.
final class LaneReader {

    private static final Duration RESTART_INTERVAL = Duration.ofSeconds(5);

    /// The maximum age of a transaction, even after its connection broke.
    static final Duration MAX_TRANSACTION_AGE = Duration.ofSeconds(60);

    private static final Duration MIN_REST = Duration.ofSeconds(1);
    private static final int MAX_DOUBLINGS = 6;
    private static final UUID MIN_ID = new UUID(0, 0);

    private final Lane lane;
    private final Map<DeliveryId, UnfinishedDelivery> inMemory = new HashMap<>();
    private Instant floor = Instant.EPOCH;
    private Instant positionTime = Instant.EPOCH;
    private UUID positionId = MIN_ID;
    private Instant restartedAt = Instant.EPOCH;
    private boolean isAtEnd = true;
    private boolean foundNothing;

    /// The number of failures in a row.
    private int failures;

    private Instant blockedSince = Instant.MAX;
    private boolean isBlocked;
    private Pause rest = Pause.NONE;

    LaneReader(Lane lane) {
        this.lane = lane;
    }

    Lane lane() {
        return lane;
    }

    /// Returns the number of this lane's deliveries in memory.
    int inMemory() {
        return inMemory.size();
    }

    void add(UnfinishedDelivery delivery) {
        inMemory.put(delivery.id(), delivery);
    }

    /// Forgets exactly this object, compared by identity. After this node was declared dead, it may
    /// be asked to forget an older copy of a delivery that it has read again since.
    @SuppressWarnings("ReferenceEquality")
    void forget(UnfinishedDelivery delivery) {
        if (inMemory.get(delivery.id()) == delivery) {
            inMemory.remove(delivery.id());
        }
    }

    /// Leaves the lane alone after a failure: for one second, and twice as long after each further
    /// one, up to a minute.
    void failed(Instant now) {
        blocked(now);
        rest = Pause.of(now, MIN_REST.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS)));
        failures++;
    }

    /// Notes that due deliveries of the lane cannot be loaded now.
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

    /// Leaves the lane alone for a while, although nothing has failed.
    void restFor(Instant now, Duration time) {
        rest = Pause.of(now, time);
    }

    boolean isResting(Instant now) {
        return !rest.isOver(now);
    }

    /// Returns since when no due delivery of the lane could be loaded; [Instant#MAX] if it can.
    Instant blockedSince() {
        return blockedSince;
    }

    /// Whether the last read found no due deliveries except those already in memory.
    boolean foundNothing() {
        return foundNothing;
    }

    /// Returns up to `limit` due deliveries that are not in memory. Only `advance` moves the cursor
    /// past them.
    List<LaneStore.WaitingDelivery> read(Lanes lanes, Instant now, int limit) {
        if (isAtEnd || now.isAfter(restartedAt.plus(RESTART_INTERVAL))) {
            restart(now);
        }
        var read = lanes.due(lane, now, positionTime, positionId, limit + inMemory.size());
        isAtEnd = read.size() < limit + inMemory.size();
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
        restartedAt = now;
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
