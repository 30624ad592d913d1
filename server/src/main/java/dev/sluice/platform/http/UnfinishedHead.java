package dev.sluice.platform.http;

import org.eclipse.jetty.io.EndPoint;

import java.time.Duration;

/// What a request's head may take that does not come in one piece: a time from its first byte, and
/// memory that it shares with all other such heads. A head that comes whole costs nothing here.
///
/// Used by one thread at a time, the one that reads the connection.
final class UnfinishedHead {

    /// For each byte of a head: it is kept as it came, and once more as what was read from it.
    private static final int COST = 4;

    private final EndPoint endPoint;
    private final BodyMemory memory;
    private final Duration most;

    private boolean isWaiting;
    private long ends;
    private long idleBefore;
    private int held;

    UnfinishedHead(EndPoint endPoint, BodyMemory memory, Duration most) {
        this.endPoint = endPoint;
        this.memory = memory;
        this.most = most;
    }

    /// Whether a part of a head was read and the rest is missing.
    boolean isWaiting() {
        return isWaiting;
    }

    /// After a read that did not end the head. The connection's idle time-out now ends with the
    /// head's time, so that silence is noticed too.
    ///
    /// @param bytes the read brought
    /// @return false when there is no memory left for them
    boolean read(int bytes) {
        long now = System.nanoTime();
        if (!isWaiting) {
            isWaiting = true;
            ends = now + most.toNanos();
            idleBefore = endPoint.getIdleTimeout();
        }
        endPoint.setIdleTimeout(Math.max(1, (ends - now) / 1_000_000));
        if (!memory.take(COST * bytes)) {
            return false;
        }
        held += COST * bytes;
        return true;
    }

    /// Whether its time is over.
    boolean isLate() {
        return isWaiting && System.nanoTime() - ends >= 0;
    }

    /// The head is whole, or nobody waits for it any more.
    void end() {
        if (isWaiting) {
            isWaiting = false;
            endPoint.setIdleTimeout(idleBefore);
            memory.giveBack(held);
            held = 0;
        }
    }
}
