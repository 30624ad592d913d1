package dev.sluice.relay.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Who of all destinations of a node may make the next attempt: a fixed number of permits, and who
/// is next when there are not enough.
///
/// Those that wait take turns: over workspaces first, then over the destinations of a workspace,
/// one permit a turn (deficit round robin, Shreedhar and Varghese 1995, with quantum 1). So neither
/// the order of arrival nor the number of destinations gives a workspace more. Beside that:
///
/// - all slow destinations (see [Pulse]) together have a quarter of the permits at most, whether
///   others wait or not: who has one keeps it long;
/// - a workspace that has half of the permits gets no more while another waits.
///
/// All methods but those that wait are short, and hold the monitor of this object at most. It reads
/// no clock and starts nothing: who gives a permit back asks for the `next`.
///
/// @param <D> what a seat stands for
final class Turns<D> {

    /// What is counted for a workspace. Guarded by the [Turns].
    static final class Tenant {
        private int held;
    }

    /// A destination's. Guarded by the [Turns], but for the reading of `isSlow`.
    static final class Seat<D> {
        private final D destination;
        private final Tenant tenant;
        private int held;
        private boolean isWaiting;
        private volatile boolean isSlow;

        Seat(D destination, Tenant tenant) {
            this.destination = destination;
            this.tenant = tenant;
        }

        D destination() {
            return destination;
        }

        Tenant tenant() {
            return tenant;
        }
    }

    private final int permits;
    private final int mostSlow;
    private final Ring<D> quickOnes = new Ring<>();
    private final Ring<D> slowOnes = new Ring<>();

    /// Of those who wait until all are free.
    private final List<CountDownLatch> allFree = new ArrayList<>();

    private boolean wasSlowLast;

    // Written under the monitor; read without where a look that is a little old does no harm.
    private volatile int free;
    private volatile int slowHeld;
    private volatile int waiting;
    private volatile boolean isClosed;
    private volatile Runnable onQuiet = () -> {};

    Turns(int permits) {
        this.permits = permits;
        this.mostSlow = Math.max(1, permits / 4);
        this.free = permits;
    }

    /// A permit, if there is one and nobody else is to be served before; false otherwise, and then
    /// it does not wait for one yet.
    ///
    /// @param isSlow how its destination stands now
    synchronized boolean tryTake(Seat<D> seat, boolean isSlow) {
        setSlow(seat, isSlow);
        if (!ring(seat).isEmpty() || !isOpen(seat.isSlow)) {
            return false;
        }
        take(seat);
        return true;
    }

    /// Lets it wait for one permit, last in its line. Once is enough: it waits for one at a time.
    synchronized void ask(Seat<D> seat) {
        if (!seat.isWaiting) {
            seat.isWaiting = true;
            waiting++;
            ring(seat).add(seat);
        }
    }

    /// The next of those that wait, with its permit taken; empty while there is none to be had. Who
    /// gets it gives it back, used or not.
    Optional<Seat<D>> next() {
        return waiting == 0 ? Optional.empty() : nextWaiting();
    }

    private synchronized Optional<Seat<D>> nextWaiting() {
        boolean isQuick = !quickOnes.isEmpty() && isOpen(false);
        boolean isSlow = !slowOnes.isEmpty() && isOpen(true);
        if (!isQuick && !isSlow) {
            return Optional.empty();
        }
        wasSlowLast = isSlow && !(isQuick && wasSlowLast);
        var seat = (wasSlowLast ? slowOnes : quickOnes).poll(this::isGlutton);
        seat.isWaiting = false;
        waiting--;
        take(seat);
        return Optional.of(seat);
    }

    /// Gives a permit back.
    synchronized void give(Seat<D> seat) {
        seat.held--;
        seat.tenant.held--;
        if (seat.isSlow) {
            slowHeld--;
        }
        freed(1);
        if (isClosed && free == permits) {
            onQuiet.run();
        }
    }

    private synchronized void freed(int number) {
        free += number;
        if (free == permits) {
            allFree.forEach(CountDownLatch::countDown);
        }
    }

    /// Whether one of this destination's permits may go on being used by it; otherwise others wait
    /// for what it would give back.
    boolean mayKeep(Seat<D> seat) {
        if (isClosed || (seat.isSlow && slowHeld > mostSlow)) {
            return false;
        }
        return waiting == 0 || !isWaitedFor(seat);
    }

    private synchronized boolean isWaitedFor(Seat<D> seat) {
        return !quickOnes.isEmpty()
                || (!slowOnes.isEmpty() && (seat.isSlow || slowHeld < mostSlow));
    }

    /// How its destination stands now. Afterwards there may be a `next`.
    void stands(Seat<D> seat, boolean isSlow) {
        if (seat.isSlow != isSlow) {
            setSlow(seat, isSlow);
        }
    }

    private synchronized void setSlow(Seat<D> seat, boolean isSlow) {
        if (seat.isSlow == isSlow) {
            return;
        }
        if (seat.isWaiting) {
            ring(seat).remove(seat);
        }
        seat.isSlow = isSlow;
        slowHeld += isSlow ? seat.held : -seat.held;
        if (seat.isWaiting) {
            ring(seat).add(seat);
        }
    }

    /// Whether less than half of the permits are left.
    boolean isScarce() {
        return free < permits / 2;
    }

    /// How many permits nobody has.
    int free() {
        return free;
    }

    /// Calls `listener` when the last permit came back while these are closed; must be quick.
    void onQuiet(Runnable listener) {
        onQuiet = listener;
    }

    /// Nobody takes a permit from now on but who takes them all: so they come back, one after the
    /// other.
    synchronized void close() {
        isClosed = true;
    }

    /// Afterwards there may be a `next`.
    synchronized void open() {
        isClosed = false;
    }

    boolean isClosed() {
        return isClosed;
    }

    /// Takes all permits; false while anybody has one.
    synchronized boolean takeAll() {
        if (free < permits) {
            return false;
        }
        free = 0;
        return true;
    }

    synchronized void giveBackAll() {
        freed(permits);
    }

    /// Of all permits, keeps one.
    synchronized void giveBackOthers() {
        freed(permits - 1);
    }

    /// The one that was kept.
    synchronized void giveBackOne() {
        freed(1);
    }

    /// Whether all permits were given back within the time.
    boolean awaitAll(Duration timeout) throws InterruptedException {
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

    private boolean isOpen(boolean isSlow) {
        return free > 0 && !isClosed && (!isSlow || slowHeld < mostSlow);
    }

    private synchronized void take(Seat<D> seat) {
        free--;
        seat.held++;
        seat.tenant.held++;
        if (seat.isSlow) {
            slowHeld++;
        }
    }

    private Ring<D> ring(Seat<D> seat) {
        return seat.isSlow ? slowOnes : quickOnes;
    }

    /// Two workspaces at most can be that at once.
    private boolean isGlutton(Tenant tenant) {
        return tenant.held >= permits / 2;
    }
}
