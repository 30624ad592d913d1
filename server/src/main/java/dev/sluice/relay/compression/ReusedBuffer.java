package dev.sluice.relay.compression;

/// A buffer that grows as needed, up to a size. Larger buffers are not kept. Used by one thread at
/// a time.
final class ReusedBuffer {

    private static final int MAX_KEPT_BYTES = 64 << 10;

    private byte[] kept = new byte[4096];

    /// Returns a buffer of at least `size` bytes with any content.
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
