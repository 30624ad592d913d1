package dev.sluice.engine.share;

import dev.sluice.engine.InFlightRecorder;

/// Computes how many attempts a process may have in flight at once, from its heap size and its
/// limit on open files.
///
/// An attempt that is waiting for its response needs a socket and about 50 KiB of heap, most of it
/// for TLS. It needs 180 KiB if the response head has the maximum size.
public final class PermitLimit {

    private static final long HEAP_BYTES_PER_PERMIT = 512 << 10;
    private static final int MIN_PERMITS = 2_048;
    private static final int MAX_PERMITS = 16_384;

    /// Attempts may use a sixth of the open-file limit. Another sixth is for idle connections that
    /// are kept for later attempts, and at least one more for slow attempts: without room for
    /// those, destinations that hang keep others from their first attempt.
    private static final int FILES_DIVISOR = 6;

    private static final long HEAP_BYTES_PER_SLOW_PERMIT = 256 << 10;
    private static final int MAX_SLOW_PERMITS = 8_192;

    private PermitLimit() {}

    /// @param heapBytes the maximum size of the heap
    /// @param openFiles how many files the process may have open at once
    public static int of(long heapBytes, long openFiles) {
        long byHeap = Math.clamp(heapBytes / HEAP_BYTES_PER_PERMIT, MIN_PERMITS, MAX_PERMITS);
        return (int) Math.clamp(openFiles / FILES_DIVISOR, 1, byHeap);
    }

    /// Computes how many slow attempts a process may have in flight besides `permits` others. They
    /// may use what the others and the idle connections leave of half of the open-file limit; the
    /// other half is for incoming connections.
    ///
    /// @param permits the result of [#of]
    public static int slow(long heapBytes, long openFiles, int permits) {
        long byFiles = openFiles / 2 - 2L * permits;
        long byRecorder = InFlightRecorder.MAX_ATTEMPTS - (long) permits;
        long byHeap = Math.min(heapBytes / HEAP_BYTES_PER_SLOW_PERMIT, MAX_SLOW_PERMITS);
        return (int) Math.max(0, Math.min(byHeap, Math.min(byFiles, byRecorder)));
    }
}
