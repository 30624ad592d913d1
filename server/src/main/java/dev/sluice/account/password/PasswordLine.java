package dev.sluice.account.password;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The queue in which clients wait for a password hash, which is slow and uses 19 MiB on purpose.
///
/// At most two hashes run at a time. Clients whose address has a session of the account are served
/// first, then those whose network has the fewest failures, then those that came first. At most
/// four clients of each network may wait. The queue has 256 places, and as many more for clients
/// with a known address. A client that finds no place is refused. Thread-safe.
final class PasswordLine {

    static final int MAX_CONCURRENT = 2;
    static final int MAX_WAITING = 256;
    static final int MAX_WAITING_PER_NETWORK = 4;

    /// The facts that decide when a waiting client is served.
    ///
    /// @param isKnown whether the account has a session from the client's address
    /// @param failures the number of recent failures from the network
    record Place(String network, boolean isKnown, int failures) {}

    private final class Waiter {
        private final Place place;
        private final Condition turn = lock.newCondition();
        private boolean isCalled;

        Waiter(Place place) {
            this.place = place;
        }
    }

    private static final Comparator<Waiter> ORDER =
            Comparator.comparing((Waiter waiter) -> !waiter.place.isKnown())
                    .thenComparingInt(waiter -> waiter.place.failures());

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Waiter> waiting = new ArrayList<>();
    private int running;

    /// Waits for the client's turn. If this returns true, the caller must call `leave` afterwards.
    /// If it returns false or is interrupted, the caller has left the queue.
    ///
    /// @param patience the longest time to wait
    /// @return false if there is no place for the client, or if its turn did not come in time
    boolean enter(Place place, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (running < MAX_CONCURRENT) { // then nobody is waiting
                running++;
                return true;
            }
            if (!hasRoom(place)) {
                return false;
            }
            var waiter = new Waiter(place);
            waiting.add(waiter);
            return await(waiter, patience);
        } finally {
            lock.unlock();
        }
    }

    private boolean await(Waiter waiter, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        try {
            while (!waiter.isCalled && left > 0) {
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

    /// Whether the queue has a place for this client. A client with a known address may still join
    /// a queue of 256 or more clients, until there are 512.
    private boolean hasRoom(Place place) {
        long ofNetwork =
                waiting.stream()
                        .filter(waiter -> waiter.place.network().equals(place.network()))
                        .count();
        return ofNetwork < MAX_WAITING_PER_NETWORK
                && (waiting.size() < MAX_WAITING
                        || (place.isKnown() && waiting.size() < 2 * MAX_WAITING));
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

    /// Ends the caller's turn, and gives it to the next waiting client.
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
