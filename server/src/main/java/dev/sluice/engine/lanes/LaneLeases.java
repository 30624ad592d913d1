package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.send.HoldPolicy;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.share.FairShare;
import dev.sluice.platform.share.Portion;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// The lanes that this node has leased, each with its [LaneReader]. Leases due lanes and releases
/// them again. A lane contains the waiting deliveries of one connection: either the live ones or
/// the resends.
///
/// A node's leases are shared among workspaces by the [FairShare] rule, so that a workspace with
/// many due lanes always leaves some leases for others. The query for due lanes skips the
/// workspaces that may lease no more lanes, so their lanes do not delay those of other workspaces.
/// Not thread-safe.
final class LaneLeases {

    private static final int MAX_LEASED_LANES = 4_096;

    /// The maximum number of lanes leased in one transaction.
    private static final int LEASE_BATCH_ROWS = 512;

    /// The longest that a lane rests after it was read to its end, while few lanes are leased.
    /// While many lanes are leased, the longest rest is [#REREAD_INTERVAL] times the number of
    /// leased lanes; see [#restAtEnd].
    private static final Duration MIN_REST_AT_END = Duration.ofSeconds(5);

    private static final Duration REREAD_INTERVAL = Duration.ofMillis(5);
    private static final int SPREAD_STEPS = 1_024;

    private static final Duration ADOPTION_INTERVAL = Duration.ofSeconds(10);

    /// How far ahead [#leaseMore] looks for lanes that will be due while no lane is leased.
    private static final Duration LOOKAHEAD = Duration.ofSeconds(5);

    private static final Duration SLOW_LEASE_THRESHOLD = Duration.ofMillis(5);
    private static final int LEASE_BACKOFF_FACTOR = 40;
    private static final Duration MAX_LEASE_BACKOFF = Duration.ofSeconds(2);

    private final Lanes lanes;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final SequencedMap<Lane, LaneReader> leased = new LinkedHashMap<>();

    /// The lanes whose release may still be committed although the database connection broke. Each
    /// value is the time after which the release can no longer be committed.
    private final Map<Lane, Instant> releasesInDoubt = new HashMap<>();

    private FairShare share = new FairShare(MAX_LEASED_LANES);

    /// The number of lanes leased for each workspace. Workspaces without leased lanes have no
    /// entry.
    private final Map<WorkspaceId, Portion> portions = new HashMap<>();

    private long epoch;
    private Instant nextAdoption = Instant.EPOCH;

    /// When lanes may next be leased, as a value of `nanos`.
    private long nextLeaseNanos;

    /// No unleased lane is due before this time, as far as the last look showed. In the past while
    /// lanes are leased, and after a look that failed or left due lanes unleased.
    private Instant nextDue = Instant.EPOCH;

    /// @param nanos the monotonic clock of this process
    LaneLeases(Lanes lanes, InstantSource clock, LongSupplier nanos) {
        this.lanes = lanes;
        this.clock = clock;
        this.nanos = nanos;
        this.nextLeaseNanos = nanos.getAsLong();
    }

    /// Sets this node's epoch. If the epoch is new, forgets all lanes, because other nodes may now
    /// have leased them.
    void setEpoch(long current) {
        if (epoch != current) {
            leased.clear();
            portions.clear();
            share = new FairShare(MAX_LEASED_LANES);
            releasesInDoubt.clear();
            epoch = current;
        }
    }

    long epoch() {
        return epoch;
    }

    Collection<LaneReader> readers() {
        return leased.values();
    }

    Optional<LaneReader> find(Lane lane) {
        return Optional.ofNullable(leased.get(lane));
    }

    /// Whether the lane is still leased and this is still its reader.
    boolean contains(LaneReader reader) {
        return reader.equals(leased.get(reader.lane()));
    }

    /// Moves a lane to the end of [#readers], if it is still leased.
    void putLast(LaneReader reader) {
        if (contains(reader)) {
            leased.putLast(reader.lane(), reader);
        }
    }

    /// Re-adopts the lanes whose lease reply was lost: their rows name this node as the owner, but
    /// this node has no reader for them. Does nothing and returns false if it last ran less than
    /// ten seconds ago.
    ///
    /// Skips a lane if it is unknown whether its release was committed. If the release were
    /// committed after this node had read the lane again, another node could lease the lane and
    /// send the same deliveries.
    ///
    /// @param allTakenIn called after the owners were read; takes in the lanes that [ProbeLoop] has
    ///   leased, and returns whether it is not leasing another one
    boolean adoptLost(BooleanSupplier allTakenIn) {
        var now = clock.instant();
        boolean isSetBack = nextAdoption.isAfter(now.plus(ADOPTION_INTERVAL));
        if (now.isBefore(nextAdoption) && !isSetBack) {
            return false;
        }
        nextAdoption = now.plus(ADOPTION_INTERVAL);
        var latest = now.plus(LaneReader.MAX_TRANSACTION_AGE);
        releasesInDoubt.replaceAll((_, until) -> until.isAfter(latest) ? latest : until);
        releasesInDoubt.values().removeIf(now::isAfter);
        var all = lanes.leased(epoch);
        if (!allTakenIn.getAsBoolean()) {
            nextAdoption = now; // the next round looks again
            return false;
        }
        for (var owned : all) {
            if (!releasesInDoubt.containsKey(owned.lane()) && !leased.containsKey(owned.lane())) {
                take(owned.workspace());
                leased.put(owned.lane(), new LaneReader(owned));
            }
        }
        return true;
    }

    /// Takes in a lane that [ProbeLoop] has leased under this epoch.
    void takeIn(LaneReader reader) {
        take(reader.workspace());
        releasesInDoubt.remove(reader.lane()); // it was leased, so its release had committed
        leased.put(reader.lane(), reader);
    }

    /// Leases due lanes, up to the number that their workspaces may lease. Leased lanes that are
    /// resting but were woken stop resting.
    ///
    /// If this takes longer than 5 ms, leasing pauses for about 40 times as long, up to two
    /// seconds. The query is slow while, for example, a long-running transaction holds an old
    /// snapshot, because the query must then skip every dead version of each lane's row.
    void leaseMore() {
        long began = nanos.getAsLong();
        if (began - nextLeaseNanos < 0) {
            return;
        }
        boolean isMore = true;
        while (isMore) {
            isMore = leaseBatch(clock.instant());
        }
        long took = nanos.getAsLong() - began;
        if (took > SLOW_LEASE_THRESHOLD.toNanos()) {
            nextLeaseNanos =
                    began + Math.min(LEASE_BACKOFF_FACTOR * took, MAX_LEASE_BACKOFF.toNanos());
        }
    }

    /// Returns how long no unleased lane becomes due, as far as this node knows; at most
    /// [#LOOKAHEAD]. Negative if a lane may be due already.
    Duration untilNextDue() {
        var left = Duration.between(clock.instant(), nextDue);
        return left.compareTo(LOOKAHEAD) < 0 ? left : LOOKAHEAD; // the clock may have been set back
    }

    /// Forgets when the next lane is due, until the next look.
    void forgetNextDue() {
        nextDue = Instant.EPOCH;
    }

    /// Leases one batch of lanes. Returns whether more may be due.
    private boolean leaseBatch(Instant now) {
        int limit = share.mayTake(new Portion()) ? LEASE_BATCH_ROWS : 0;
        var until = leased.isEmpty() ? now.plus(LOOKAHEAD) : now;
        var found = lanes.dueFor(epoch, until, fullWorkspaces(), limit);
        var due = found.stream().filter(lane -> lane.isDue(now)).toList();
        var woken = new ArrayList<Lane>();
        var taken = new LinkedHashMap<Lane, LaneStore.LeasedLane>();
        for (var one : due) {
            var lane = one.leased().lane();
            if (!one.isLeased() && tryTake(one.leased().workspace())) {
                taken.put(lane, one.leased());
            } else if (one.isLeased() && leased.containsKey(lane)) {
                woken.add(lane);
            }
        }
        boolean isAny = leaseWanted(now, woken, taken);
        if (leased.isEmpty() && taken.isEmpty()) {
            nextDue =
                    found.stream()
                            .filter(lane -> !lane.isDue(now))
                            .map(LaneStore.DueLane::wakeAt)
                            .min(Comparator.naturalOrder())
                            .orElse(until);
        }
        return isAny && due.size() - woken.size() >= limit;
    }

    /// Leases the lanes in `taken`, and clears the wake-up times of the lanes in `woken`. If a lane
    /// in `taken` could not be leased, gives back the [FairShare] unit that was taken for it.
    /// Returns whether any lane was leased.
    private boolean leaseWanted(
            Instant now, List<Lane> woken, Map<Lane, LaneStore.LeasedLane> taken) {
        var wanted = new ArrayList<>(woken);
        wanted.addAll(taken.keySet());
        if (wanted.isEmpty()) {
            return false;
        }
        boolean isAny = false;
        try {
            for (var lane : lanes.lease(epoch, now, wanted)) {
                var fresh = taken.remove(lane);
                if (fresh == null) {
                    find(lane).ifPresent(LaneReader::rouse);
                } else {
                    releasesInDoubt.remove(lane); // it was leased, so its release had committed
                    leased.put(lane, new LaneReader(fresh));
                    isAny = true;
                }
            }
        } finally {
            taken.values().forEach(missed -> giveBack(missed.workspace()));
        }
        return isAny;
    }

    /// Returns the workspaces that may lease no more lanes now.
    private List<WorkspaceId> fullWorkspaces() {
        return portions.entrySet().stream()
                .filter(entry -> !share.mayTake(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private boolean tryTake(WorkspaceId workspace) {
        var portion = portions.getOrDefault(workspace, new Portion());
        if (!share.mayTake(portion)) {
            return false;
        }
        take(workspace);
        return true;
    }

    private void take(WorkspaceId workspace) {
        share.take(portions.computeIfAbsent(workspace, _ -> new Portion()));
    }

    private void giveBack(WorkspaceId workspace) {
        portions.computeIfPresent(
                workspace,
                (_, portion) -> {
                    share.giveBack(portion);
                    return portion.held() == 0 ? null : portion;
                });
    }

    /// Returns how long a lane that was read to its end rests if nothing wakes it. The more lanes
    /// are leased, the longer they rest, so that the lanes whose rest ends cause at most 400 reads
    /// a second in total. The time differs between lanes by up to a factor of two, so that they are
    /// not all read at once.
    Duration restAtEnd(Lane lane) {
        var rest = REREAD_INTERVAL.multipliedBy(leased.size());
        var longest = rest.compareTo(MIN_REST_AT_END) > 0 ? rest : MIN_REST_AT_END;
        return longest.multipliedBy(
                        SPREAD_STEPS + HoldPolicy.spread(lane.connection(), SPREAD_STEPS))
                .dividedBy(2 * SPREAD_STEPS);
    }

    /// Releases a lane. Does nothing while any of the lane's deliveries are in memory, because
    /// another node could load them a second time. The lane wakes at `wakeAt`. If `wakeAt` is
    /// empty, the lane sleeps until something wakes it.
    void release(LaneReader reader, Optional<Instant> wakeAt) {
        if (reader.inMemory() > 0) {
            return;
        }
        var lane = reader.lane();
        leased.remove(lane);
        giveBack(reader.workspace());
        releasesInDoubt.put(
                lane,
                clock.instant().plus(LaneReader.MAX_TRANSACTION_AGE)); // in case the reply is lost
        try {
            lanes.release(lane, epoch, wakeAt);
        } catch (DbException e) {
            if (!e.isConnectionLost()) {
                releasesInDoubt.remove(lane); // the database refused it, so it cannot commit later
            }
            throw e;
        }
        releasesInDoubt.remove(lane);
    }

    /// Releases all lanes, including those with deliveries in memory.
    void leave() {
        for (var reader : leased.values()) {
            lanes.release(reader.lane(), epoch, lanes.firstDue(reader.lane()));
        }
        leased.clear();
        portions.clear();
    }
}
