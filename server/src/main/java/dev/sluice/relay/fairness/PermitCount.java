package dev.sluice.relay.fairness;

import dev.sluice.relay.InFlightRecorder;

/// How many attempts a process can have in flight at once.
///
/// An attempt that waits for its response needs a socket and some 50 KiB of heap, most of it for
/// TLS; with a response head as long as a head may be, it needs 180 KiB.
public final class PermitCount {

    private static final long HEAP_BYTES_PER_PERMIT = 512 << 10;
    private static final int MIN_PERMITS = 2_048;

    /// The share of the open files that attempts may use: one quarter. Connections kept open for
    /// later attempts may use as many again.
    private static final int FILES_DIVISOR = 4;

    private PermitCount() {}

    /// @param heapBytes the maximum size of the heap
    /// @param openFiles how many files the process may have open at once
    public static int of(long heapBytes, long openFiles) {
        long byHeap =
                Math.clamp(
                        heapBytes / HEAP_BYTES_PER_PERMIT,
                        MIN_PERMITS,
                        InFlightRecorder.MAX_ATTEMPTS);
        return (int) Math.clamp(openFiles / FILES_DIVISOR, 1, byHeap);
    }
}
