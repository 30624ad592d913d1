package dev.sluice.engine;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// Counts the payload bytes that this process prepares for storage, both uncompressed and as
/// stored. Thread-safe.
public final class PayloadMeter {

    private final LongAdder plain = new LongAdder();
    private final LongAdder stored = new LongAdder();

    /// @param plainBytes the number of bytes in the headers and the body, uncompressed
    /// @param storedBytes the number of bytes that the headers and the body take as stored
    public void count(int plainBytes, int storedBytes) {
        plain.add(plainBytes);
        stored.add(storedBytes);
    }

    /// Returns both counts: `plain` for the uncompressed bytes, and `stored` for the bytes as
    /// stored.
    public Map<String, Long> bytes() {
        return Map.of("plain", plain.sum(), "stored", stored.sum());
    }
}
