package dev.sluice.platform.http;

import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

import java.time.Duration;

/// Limits the time and memory that a request head may take if it arrives in several pieces.
///
/// A head is the request line and the headers. The time limit starts at the head's first byte. All
/// partial heads share one memory budget. When the budget is used up, the oldest head is refused to
/// make room for a new one. A head that arrives in one piece is not limited here and uses none of
/// this memory.
///
/// Except where noted, used only by the thread that is reading from the connection.
final class PartialHeadLimiter {

    /// How many bytes of memory are reserved for each byte of a head. It is more than one, because
    /// the head is kept both raw and as parsed headers.
    private static final int HEAD_MEMORY_FACTOR = 4;

    /// The placeholder for the source of every head. The real source is not known before the head
    /// is complete.
    private static final Object ANY_SOURCE = new Object();

    private final EndPoint endPoint;
    private final InboundMemory memory;
    private final Duration timeout;

    /// The memory reserved for the incomplete head, or null if no head is incomplete.
    private volatile InboundMemory.@Nullable Reservation reservation;

    private volatile boolean isShed;

    /// The `System.nanoTime` value at which the time for the head runs out.
    private long deadline;

    /// The connection's normal idle timeout, in milliseconds. It applies when no head is
    /// incomplete.
    private long idleBefore;

    PartialHeadLimiter(EndPoint endPoint, InboundMemory memory, Duration timeout) {
        this.endPoint = endPoint;
        this.memory = memory;
        this.timeout = timeout;
    }

    /// Whether part of a head has been read and the rest has not arrived yet. May be called by any
    /// thread.
    boolean isWaiting() {
        return reservation != null;
    }

    /// Records a read that did not complete the head.
    ///
    /// Shortens the connection's idle timeout to the time left, so that a sender that stops sending
    /// is noticed in time.
    ///
    /// @param bytes how many bytes were read
    /// @return false if there is no memory for these bytes
    boolean read(int bytes) {
        long now = System.nanoTime();
        var reserved = reservation;
        if (reserved == null) {
            deadline = now + timeout.toNanos();
            idleBefore = endPoint.getIdleTimeout();
            reserved = memory.open(ANY_SOURCE, ANY_SOURCE, this::shed);
            begin(reserved);
        }
        endPoint.setIdleTimeout(Math.max(1, (deadline - now) / 1_000_000));
        return reserved.tryGrow(HEAD_MEMORY_FACTOR * bytes);
    }

    private synchronized void begin(InboundMemory.Reservation reserved) {
        reservation = reserved;
        isShed = false;
    }

    /// Makes the connection's idle timeout expire immediately, so that the connection's own thread
    /// refuses the head. Called on the thread of another connection that needs the memory for its
    /// own head.
    private synchronized void shed() {
        if (reservation != null) {
            isShed = true;
            endPoint.setIdleTimeout(1);
        }
    }

    /// Whether the head has missed its deadline.
    boolean isLate() {
        return isWaiting() && System.nanoTime() - deadline >= 0;
    }

    /// Returns the status with which to refuse a head that is still incomplete at the idle timeout:
    /// 503 if another head needs the memory, otherwise 408.
    int timeoutStatus() {
        return isShed ? HttpStatus.SERVICE_UNAVAILABLE_503 : HttpStatus.REQUEST_TIMEOUT_408;
    }

    /// Stops limiting the head. Called when the head is complete or has been refused, or when its
    /// connection is closed.
    void end() {
        var reserved = reservation;
        if (reserved != null) {
            restoreIdleTimeout();
            reserved.release();
        }
    }

    private synchronized void restoreIdleTimeout() {
        reservation = null;
        endPoint.setIdleTimeout(idleBefore);
    }
}
