package dev.sluice.relay.compression;

/// A buffer that grows as needed. Above a maximum size, a buffer is used once and not kept. Only
/// one thread at a time may use this object.
final class ReusedBuffer {

    private static final int MAX_KEPT_BYTES = 64 << 10;

    private byte[] kept = new byte[4096];

    /// Returns a buffer of at least `size` bytes. Its content is arbitrary.
    byte[] ofSize(int size) {
        if (size <= kept.length) {
            return kept;
        }
        byte[] larger = new byte[size];
        if (size <= MAX_KEPT_BYTES) {
            kept = larger;
        }
        return larger;
    }
}
