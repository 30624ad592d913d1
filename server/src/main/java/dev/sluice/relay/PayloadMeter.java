package dev.sluice.relay;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// Counts the bytes of the payloads that this process prepared for storage, in two forms:
/// uncompressed, and as they are stored. Thread-safe.
public final class PayloadMeter {

    private final LongAdder plain = new LongAdder();
    private final LongAdder stored = new LongAdder();

    /// @param plainBytes the number of bytes of headers and body, uncompressed
    /// @param storedBytes the number of bytes of headers and body as they are stored
    public void count(int plainBytes, int storedBytes) {
        plain.add(plainBytes);
        stored.add(storedBytes);
    }

    /// Returns the number of bytes in each form: `plain` for uncompressed bytes, and `stored`.
    public Map<String, Long> bytes() {
        return Map.of("plain", plain.sum(), "stored", stored.sum());
    }
}
