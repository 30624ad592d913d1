package dev.sluice.relay.fairness;

import dev.sluice.relay.InFlightRecorder;

/// Computes how many attempts a process may have in flight at once, from its heap size and its
/// limit on open files.
///
/// An attempt that is waiting for its response needs a socket and about 50 KiB of heap, most of it
/// for TLS. It needs 180 KiB if the response head has the maximum size.
public final class PermitLimit {

    private static final long HEAP_BYTES_PER_PERMIT = 512 << 10;
    private static final int MIN_PERMITS = 2_048;

    /// Attempts may use a quarter of the open-file limit. Another quarter is for idle connections
    /// that are kept for later attempts.
    private static final int FILES_DIVISOR = 4;

    private PermitLimit() {}

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
