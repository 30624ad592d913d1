package dev.sluice.account.password;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The line in front of the password hash, which is slow and takes 19 MiB on purpose.
///
/// At most two hashes run at a time. Those who wait are served in this order: first who signed in
/// from the same network before, then whose network has failed least, then who came first. A
/// network may have four in the line, and the line has 256 places; who finds no place is told to
/// come back. Thread-safe.
final class PasswordLine {

    static final int MAX_CONCURRENT = 2;
    static final int MAX_WAITING = 256;
    static final int MAX_WAITING_PER_NETWORK = 4;

    /// A client's place in the line.
    ///
    /// @param isKnown whether the account was signed in to from this network before
    /// @param failures the network's recent failures
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

    /// Waits for the client's turn. If true, the caller must call `leave` afterwards.
    ///
    /// @param patience how long to wait at most
    /// @return false if the line is full, or if the turn did not come in time
    boolean enter(Place place, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (running < MAX_CONCURRENT) { // then nobody waits for a turn
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

    /// Whether the line has a place for this client. A known one may take the place of an unknown
    /// one, so that a full line does not keep it out.
    private boolean hasRoom(Place place) {
        long ofNetwork =
                waiting.stream()
                        .filter(waiter -> waiter.place.network().equals(place.network()))
                        .count();
        return ofNetwork < MAX_WAITING_PER_NETWORK
                && (waiting.size() < MAX_WAITING
                        || (place.isKnown() && waiting.size() < 2 * MAX_WAITING));
    }

    /// Returns how many wait for their turn.
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /// Gives the turn back.
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
