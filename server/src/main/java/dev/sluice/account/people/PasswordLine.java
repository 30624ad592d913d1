package dev.sluice.account.people;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The queue in which clients wait for a password hash, which is deliberately slow and uses 19 MiB
/// of memory.
///
/// At most two hashes run at a time. Clients from a known network are served before all others.
/// Within each of these two groups, the client whose network has used the queue least often in the
/// current minute goes first. With equal counts, the client that arrived last goes first. Even if
/// an attacker fills the queue by guessing passwords from hundreds of networks, an account owner
/// who arrives later from a new network is therefore served next.
///
/// The queue has 256 places, at most four for each network. If the queue is full, a new client
/// takes the place of the client that would be served last, unless that would be the new client
/// itself. Thread-safe.
final class PasswordLine {

    static final int MAX_CONCURRENT = 2;
    static final int MAX_WAITING = 256;
    static final int MAX_WAITING_PER_NETWORK = 4;

    /// The facts that decide when a waiting client is served.
    ///
    /// @param isKnown whether the client is served before clients from unknown networks
    /// @param visits how often, in the network's current minute, clients from this network have
    ///   already asked for a place
    record Place(String network, boolean isKnown, int visits) {}

    private final class Waiter {
        private final Place place;
        private final long number = nextNumber++;
        private final Condition turn = lock.newCondition();
        private boolean isCalled;
        private boolean isDisplaced;

        Waiter(Place place) {
            this.place = place;
        }
    }

    private static final Comparator<Waiter> ORDER =
            Comparator.comparing((Waiter waiter) -> !waiter.place.isKnown())
                    .thenComparingInt(waiter -> waiter.place.visits())
                    .thenComparing(waiter -> waiter.number, Comparator.reverseOrder());

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Waiter> waiting = new ArrayList<>();
    private int running;
    private long nextNumber;

    /// Waits for the client's turn. If this returns true, the caller must call `leave` afterwards.
    /// If it returns false or is interrupted, the caller has left the queue.
    ///
    /// @param patience the longest time to wait
    /// @return false if there is no place for the client, if another client takes its place, or if
    ///   its turn does not come in time
    boolean enter(Place place, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (running < MAX_CONCURRENT) { // in this case nobody is waiting
                running++;
                return true;
            }
            var waiter = new Waiter(place);
            if (!hasRoom(waiter)) {
                return false;
            }
            waiting.add(waiter);
            return await(waiter, patience);
        } finally {
            lock.unlock();
        }
    }

    private boolean await(Waiter waiter, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        try {
            while (!waiter.isCalled && !waiter.isDisplaced && left > 0) {
                left = waiter.turn.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            if (waiter.isCalled) {
                finish();
            }
            throw e;
        } finally {
            waiting.remove(waiter);
        }
        return waiter.isCalled;
    }

    /// Returns whether the queue has a place for this client. If the queue is full, this call may
    /// displace another client to make room.
    private boolean hasRoom(Waiter newcomer) {
        long ofNetwork =
                waiting.stream()
                        .filter(waiter -> waiter.place.network().equals(newcomer.place.network()))
                        .count();
        if (ofNetwork >= MAX_WAITING_PER_NETWORK) {
            return false;
        }
        return waiting.size() < MAX_WAITING || displaceFor(newcomer);
    }

    private boolean displaceFor(Waiter newcomer) {
        var last =
                waiting.stream()
                        .filter(waiter -> !waiter.isCalled)
                        .max(ORDER)
                        .filter(waiter -> ORDER.compare(newcomer, waiter) < 0);
        last.ifPresent(waiter -> {
            waiting.remove(waiter);
            waiter.isDisplaced = true;
            waiter.turn.signal();
        });
        return last.isPresent();
    }

    /// Returns the number of clients that are waiting for their turn.
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /// Ends the caller's turn, and starts the next waiting client's turn.
    void leave() {
        lock.lock();
        try {
            finish();
        } finally {
            lock.unlock();
        }
    }

    private void finish() {
        running--;
        waiting.stream()
                .filter(waiter -> !waiter.isCalled)
                .min(ORDER)
                .ifPresent(waiter -> {
                    running++;
                    waiter.isCalled = true;
                    waiter.turn.signal();
                });
    }
}
