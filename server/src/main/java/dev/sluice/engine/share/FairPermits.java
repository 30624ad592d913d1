package dev.sluice.engine.share;

import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.share.FairShare;
import dev.sluice.platform.share.HolderCounts;
import dev.sluice.platform.share.Portion;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A fair semaphore that hands out a node's fixed number of send permits to destinations.
///
/// The permits are split into two halves. One half is for proven destinations, which are expected
/// to return permits soon. The other half is for slow and untried destinations (see [Standing]). A
/// permit counts toward the half it was taken from until it is returned. In each half, the
/// workspaces share the permits by the [FairShare] rule. A workspace's destinations share its
/// permits by the same rule, with one exception: a destination that has no permit may take one
/// whenever its workspace may take one. Workspaces whose destinations are waiting take turns. The
/// destinations of one workspace are normally served in the order in which they began to wait.
///
/// A node may have a third share: that for slow attempts. A permit of an attempt that has run for
/// [SlownessDetector#SLOW_AFTER] moves there if the [FairShare] rule lets it, and is then free
/// again in its half. So destinations that hang do not keep others from their first attempt. While
/// a workspace's part of the slow share could not take all attempts that the workspace has running
/// in the unproven half, the workspace may begin attempts there freely only with a quarter of the
/// permits that it may have, and with the others one in each round. They then last for some
/// minutes, in which the first attempts time out. Every second turn of a workspace in the unproven
/// half goes to the untried destination that began to wait last.
///
/// This guarantees the following, whatever other workspaces and destinations do:
///
/// - Suppose that a half has `s` permits and that `n` other workspaces hold some of them. The rule
///   then lets a workspace take up to `s / ((n + 1) (n + 2))` of them, rounded down, without
///   waiting for another workspace.
/// - Destinations that are unproven when they take a permit (see [SlownessDetector]) can together
///   hold no more than the unproven half. A permit from the proven half can be held for long only
///   by a destination that became slow after taking it. The [FairShare] rule also limits how many
///   permits such a destination can hold.
///
/// Thread-safe. Except for `awaitAllFree`, methods wait only for this object's monitor. The class
/// reads no clock and starts no thread: after a `release`, the caller must call `acquireNext`.
///
/// @param <D> the destination type
public final class FairPermits<D> {

    /// The permits that a workspace holds, counted separately for each half. Guarded by the monitor
    /// of its [FairPermits].
    public static final class WorkspacePermits {
        private final Stake proven = new Stake();
        private final Stake unproven = new Stake();
        private final Stake slow = new Stake();

        /// The last round in which the workspace began an attempt that was not free to begin.
        private long pacedRound = -1;

        /// Whether the next turn in the unproven half goes to the newest untried destination.
        private boolean isNewestNext;

        private Stake in(Share share) {
            return switch (share) {
                case PROVEN -> proven;
                case UNPROVEN -> unproven;
                case SLOW -> slow;
            };
        }
    }

    private enum Share {
        PROVEN,
        UNPROVEN,
        SLOW
    }

    /// The permits from one share that a workspace holds, and how they are distributed among its
    /// destinations.
    private static final class Stake {
        private final Portion portion = new Portion();
        private final HolderCounts destinations = new HolderCounts();
    }

    /// The permits that a destination holds, its standing, and whether it is waiting for a permit.
    /// Guarded by the monitor of its [FairPermits]; the standing may also be read without the
    /// monitor.
    public static final class PermitHolder<D> {
        private final D destination;
        private final WorkspacePermits workspace;
        private final Portion proven = new Portion();
        private final Portion unproven = new Portion();
        private final Portion slow = new Portion();
        private boolean isWaiting;
        private boolean hasReturnedAny;
        private volatile Standing standing = Standing.UNPROVEN;

        public PermitHolder(D destination, WorkspacePermits workspace) {
            this.destination = destination;
            this.workspace = workspace;
        }

        public D destination() {
            return destination;
        }

        private Portion in(Share share) {
            return switch (share) {
                case PROVEN -> proven;
                case UNPROVEN -> unproven;
                case SLOW -> slow;
            };
        }

        /// Whether the destination has never had a permit.
        private boolean isUntried() {
            return !hasReturnedAny
                    && proven.held() == 0
                    && unproven.held() == 0
                    && slow.held() == 0;
        }
    }

    /// A permit taken for a destination.
    ///
    /// @param half the half that the permit comes from
    public record Grant<D>(PermitHolder<D> permitHolder, Standing half) {}

    /// The permits of one share and the destinations that are waiting for them.
    private static final class PermitShare<D> {
        private final Share share;
        private final FairShare workspaces;
        private final RoundRobin<WorkspacePermits, PermitHolder<D>> waiting = new RoundRobin<>();

        PermitShare(Share share, int permits) {
            this.share = share;
            this.workspaces = new FairShare(permits);
        }

        boolean mayTake(WorkspacePermits workspace) {
            return workspaces.mayTake(workspace.in(share).portion);
        }

        /// Whether the destination may take a permit, given that its workspace may. The
        /// destination's first permit requires nothing more. For further permits, the [FairShare]
        /// rule applies among the workspace's destinations. In that rule, the free units are the
        /// permits that the workspace could still take.
        boolean mayTake(PermitHolder<D> permitHolder) {
            var portion = permitHolder.in(share);
            if (portion.held() == 0) {
                return true;
            }
            int wanted = portion.held() + 1;
            var stake = permitHolder.workspace.in(share);
            int toLeave = wanted * (1 + stake.destinations.othersWithQuarter(wanted, portion));
            return workspaces.mayHold(stake.portion, stake.portion.held() + 1 + toLeave);
        }

        void take(PermitHolder<D> permitHolder) {
            var stake = permitHolder.workspace.in(share);
            workspaces.take(stake.portion);
            stake.destinations.take(permitHolder.in(share));
        }

        void giveBack(PermitHolder<D> permitHolder) {
            var stake = permitHolder.workspace.in(share);
            workspaces.giveBack(stake.portion);
            stake.destinations.giveBack(permitHolder.in(share));
        }
    }

    private final int permits;
    private final Wake allReturned;
    private final PermitShare<D> proven;
    private final PermitShare<D> unproven;
    private final PermitShare<D> slow;
    private final boolean hasSlowShare;

    /// The number of the round, which [#beginRound] raises.
    private long round;

    /// One latch for each thread that is waiting until all permits are free.
    private final List<CountDownLatch> allFree = new ArrayList<>();

    // Written under the monitor. Read without it where a slightly outdated value does no harm.
    private volatile int free;
    private volatile int waiting;
    private volatile boolean isClosed;

    /// Creates permits without a share for slow attempts.
    ///
    /// @param allReturned called when the last permit is returned after `close`
    public FairPermits(int permits, Wake allReturned) {
        this(permits, 0, allReturned);
    }

    /// @param permits the number of permits in the two halves
    /// @param slowPermits the number of attempts that may be in the slow share
    /// @param allReturned called when the last permit is returned after `close`
    public FairPermits(int permits, int slowPermits, Wake allReturned) {
        this.permits = permits + slowPermits;
        this.allReturned = allReturned;
        this.free = this.permits;
        this.proven = new PermitShare<>(Share.PROVEN, permits - permits / 2);
        this.unproven = new PermitShare<>(Share.UNPROVEN, permits / 2);
        this.slow = new PermitShare<>(Share.SLOW, slowPermits);
        this.hasSlowShare = slowPermits > 0;
    }

    private PermitShare<D> of(Standing half) {
        return half == Standing.PROVEN ? proven : unproven;
    }

    /// Takes a permit from the half that `standing` selects. Returns false if the sharing rules do
    /// not allow it or if a destination of the same workspace is waiting for a permit from that
    /// half. Also returns false after [#close]. Does not add the holder to the line.
    ///
    /// A destination may get a permit here ahead of waiting destinations in other workspaces. This
    /// does not delay those workspaces for long: a workspace that may take a permit waits only
    /// until the next call to [#acquireNext].
    ///
    /// @param standing the destination's current standing
    public synchronized boolean tryAcquire(PermitHolder<D> permitHolder, Standing standing) {
        setStanding(permitHolder, standing);
        var half = of(standing);
        if (isClosed
                || half.waiting.isWaiting(permitHolder.workspace)
                || !mayTake(half, permitHolder.workspace)
                || !half.mayTake(permitHolder)) {
            return false;
        }
        take(half, permitHolder);
        return true;
    }

    /// Whether the workspace may begin another attempt with a permit from this half.
    private boolean mayTake(PermitShare<D> half, WorkspacePermits workspace) {
        return half.mayTake(workspace)
                && (mayBeginFreely(half, workspace) || workspace.pacedRound != round);
    }

    private boolean mayBeginFreely(PermitShare<D> half, WorkspacePermits workspace) {
        if (half != unproven || !hasSlowShare) {
            return true;
        }
        var running = workspace.unproven.portion;
        var moved = workspace.slow.portion;
        return unproven.workspaces.mayHold(running, 4 * (running.held() + 1))
                || slow.workspaces.mayHold(moved, moved.held() + running.held() + 1);
    }

    private synchronized void take(PermitShare<D> half, PermitHolder<D> permitHolder) {
        if (!mayBeginFreely(half, permitHolder.workspace)) {
            permitHolder.workspace.pacedRound = round;
        }
        half.take(permitHolder);
        free--;
    }

    /// Begins a round, in which each workspace may begin one attempt more than it may begin freely.
    /// Call this about once a second, and `acquireNext` afterwards.
    public synchronized void beginRound() {
        round++;
    }

    /// Moves a permit whose attempt is slow to the slow share. Returns false if the sharing rule
    /// does not allow it; the permit then stays in its half. Call `acquireNext` afterwards, and
    /// return the permit with [#releaseSlow].
    ///
    /// @param half the half that the permit comes from
    public synchronized boolean tryMoveToSlow(PermitHolder<D> permitHolder, Standing half) {
        if (!slow.mayTake(permitHolder.workspace) || !slow.mayTake(permitHolder)) {
            return false;
        }
        of(half).giveBack(permitHolder);
        slow.take(permitHolder);
        return true;
    }

    /// Gives back a permit that was moved to the slow share.
    public synchronized void releaseSlow(PermitHolder<D> permitHolder) {
        giveBack(slow, permitHolder);
    }

    /// Adds the holder to the end of its workspace's line, to wait for one permit from the half
    /// that its standing selects. Does nothing if the holder is already in line.
    public synchronized void enqueue(PermitHolder<D> permitHolder) {
        if (!permitHolder.isWaiting) {
            permitHolder.isWaiting = true;
            waiting++;
            of(permitHolder.standing).waiting.add(permitHolder.workspace, permitHolder);
        }
    }

    /// Takes a permit for the next holder in line that may take one, from the proven half if
    /// possible. Returns empty if there is no such holder, or after [#close]. The caller must
    /// release the permit, even if it is not used.
    public Optional<Grant<D>> acquireNext() {
        return waiting == 0 ? Optional.empty() : acquireNextWaiting();
    }

    private synchronized Optional<Grant<D>> acquireNextWaiting() {
        return isClosed ? Optional.empty() : acquireNext(proven).or(() -> acquireNext(unproven));
    }

    private synchronized Optional<Grant<D>> acquireNext(PermitShare<D> half) {
        var next =
                half.waiting.poll(
                        workspace -> mayTake(half, workspace),
                        half::mayTake,
                        workspace -> hasSlowShare && workspace.isNewestNext,
                        PermitHolder::isUntried);
        next.ifPresent(permitHolder -> {
            permitHolder.isWaiting = false;
            waiting--;
            take(half, permitHolder);
            if (half == unproven) {
                permitHolder.workspace.isNewestNext = !permitHolder.workspace.isNewestNext;
            }
        });
        return next.map(permitHolder ->
                new Grant<>(permitHolder, half == proven ? Standing.PROVEN : Standing.UNPROVEN));
    }

    /// Gives a permit back.
    ///
    /// @param half the half that the permit comes from
    public synchronized void release(PermitHolder<D> permitHolder, Standing half) {
        giveBack(of(half), permitHolder);
    }

    private void giveBack(PermitShare<D> share, PermitHolder<D> permitHolder) {
        share.giveBack(permitHolder);
        permitHolder.hasReturnedAny = true;
        addFree(1);
        if (isClosed && free == permits) {
            allReturned.wake();
        }
    }

    private synchronized void addFree(int number) {
        free += number;
        if (free == permits) {
            allFree.forEach(CountDownLatch::countDown);
        }
    }

    /// Whether the destination may use its permit for another delivery. If not, the caller should
    /// release the permit: the destination's standing has changed, another destination is waiting
    /// and may take the permit, or `close` was called.
    ///
    /// @param half the half that the permit comes from
    public boolean mayReuse(PermitHolder<D> permitHolder, Standing half) {
        if (isClosed || permitHolder.standing != half) {
            return false;
        }
        return waiting == 0 || !isNeededByOthers(permitHolder, of(half));
    }

    private synchronized boolean isNeededByOthers(
            PermitHolder<D> permitHolder, PermitShare<D> half) {
        half.giveBack(permitHolder);
        boolean isNeeded =
                half.waiting.hasNext(
                        workspace -> mayTake(half, workspace),
                        other -> !other.equals(permitHolder) && half.mayTake(other));
        half.take(permitHolder);
        return isNeeded;
    }

    /// Records the destination's standing. If the destination is waiting, it may be able to get a
    /// permit now, so call `acquireNext` afterwards.
    public void updateStanding(PermitHolder<D> permitHolder, Standing standing) {
        if (permitHolder.standing != standing) {
            setStanding(permitHolder, standing);
        }
    }

    private synchronized void setStanding(PermitHolder<D> permitHolder, Standing standing) {
        if (permitHolder.standing == standing) {
            return;
        }
        if (permitHolder.isWaiting) {
            of(permitHolder.standing).waiting.remove(permitHolder.workspace, permitHolder);
            of(standing).waiting.add(permitHolder.workspace, permitHolder);
        }
        permitHolder.standing = standing;
    }

    /// Returns the number of permits that a workspace holds, in both halves and the slow share.
    public synchronized int held(WorkspacePermits workspace) {
        return workspace.proven.portion.held()
                + workspace.unproven.portion.held()
                + workspace.slow.portion.held();
    }

    /// Returns the number of free permits.
    public int free() {
        return free;
    }

    /// Stops giving out permits: until [#open], only [#tryAcquireAll] succeeds. Permits in use stay
    /// valid until they are released.
    public synchronized void close() {
        isClosed = true;
    }

    /// Undoes `close`. Call `acquireNext` afterwards.
    public synchronized void open() {
        isClosed = false;
    }

    public boolean isClosed() {
        return isClosed;
    }

    /// Takes all permits; returns false while any permit is in use. Call it only after `close`.
    public synchronized boolean tryAcquireAll() {
        if (free < permits) {
            return false;
        }
        free = 0;
        return true;
    }

    public synchronized void releaseAll() {
        addFree(permits);
    }

    /// After `tryAcquireAll`, gives back all permits except one.
    public synchronized void releaseAllButOne() {
        addFree(permits - 1);
    }

    /// Gives back the permit that `releaseAllButOne` kept.
    public synchronized void releaseRemaining() {
        addFree(1);
    }

    /// Waits until all permits are free; returns false if they are not free within `timeout`.
    public boolean awaitAllFree(Duration timeout) throws InterruptedException {
        var reached = new CountDownLatch(1);
        synchronized (this) {
            if (free == permits) {
                return true;
            }
            allFree.add(reached);
        }
        try {
            return reached.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            synchronized (this) {
                allFree.remove(reached);
            }
        }
    }
}
