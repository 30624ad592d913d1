package dev.sluice.engine.compression;

/// A buffer that grows as needed. A buffer of more than 64 KiB is used once and not kept. Not
/// thread-safe.
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
