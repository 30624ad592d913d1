package dev.sluice.relay.dispatch;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Work;
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

/// Where this node stands in a lane it has leased: a position that moves on, so that neither dead
/// index entries nor deliveries in flight are read again and again.
///
/// At its end the reading starts over from a floor, at the latest every five seconds: commits that
/// come late stand behind the position. Nothing is ever inserted below the floor, because no
/// transaction lives for a minute and no due time is set into the past. Owned by the backlog's
/// thread.
final class LaneReader {

    private static final Duration START_OVER = Duration.ofSeconds(5);

    /// No transaction lives longer, whatever became of its connection.
    static final Duration LATEST_COMMIT = Duration.ofSeconds(60);

    private static final UUID LOWEST = new UUID(0, 0);

    /// Later than every due time.
    static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");

    private final Lane lane;
    private final Map<DeliveryId, Work> taken = new HashMap<>();
    private Instant floor = Instant.EPOCH;
    private Instant positionTime = Instant.EPOCH;
    private UUID positionId = LOWEST;
    private Instant startedOver = Instant.EPOCH;
    private boolean isAtEnd = true;
    private boolean foundNothing;

    LaneReader(Lane lane) {
        this.lane = lane;
    }

    Lane lane() {
        return lane;
    }

    /// Deliveries of this lane in memory.
    int taken() {
        return taken.size();
    }

    void take(Work work) {
        taken.put(work.id(), work);
    }

    /// Only what was taken here: the same delivery may also come back from before this node was
    /// declared dead.
    @SuppressWarnings("ReferenceEquality")
    void forget(Work work) {
        if (taken.get(work.id()) == work) {
            taken.remove(work.id());
        }
    }

    /// Whether nothing was due, beside what is in memory, when it was last looked at.
    boolean foundNothing() {
        return foundNothing;
    }

    /// Up to `limit` due deliveries that are not in memory. The position moves only over what
    /// `advance` is told of.
    List<LaneStore.Waiting> read(Lanes lanes, Instant now, int limit) {
        if (isAtEnd || now.isAfter(startedOver.plus(START_OVER))) {
            startOver(now);
        }
        var read = lanes.due(lane, now, positionTime, positionId, limit + taken.size());
        isAtEnd = read.size() < limit + taken.size();
        if (positionId.equals(LOWEST)) {
            raiseFloor(read, now);
        }
        var free = new ArrayList<LaneStore.Waiting>();
        for (var waiting : read) {
            if (!taken.containsKey(waiting.work().id())) {
                free.add(waiting);
            }
        }
        if (free.size() > limit) {
            isAtEnd = false;
        }
        foundNothing = free.isEmpty();
        return free.size() > limit ? free.subList(0, limit) : free;
    }

    private void startOver(Instant now) {
        startedOver = now;
        positionTime = floor;
        positionId = LOWEST;
    }

    private void raiseFloor(List<LaneStore.Waiting> read, Instant now) {
        var safe = now.minus(LATEST_COMMIT);
        var first = read.isEmpty() ? now : read.getFirst().nextAt();
        floor = first.isBefore(safe) ? first : safe;
    }

    void advance(LaneStore.Waiting to) {
        positionTime = to.nextAt();
        positionId = to.work().id().value();
    }
}
