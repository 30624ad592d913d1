package dev.sluice.platform.datafile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Optional;

/// An input stream that gets its bytes in chunks, such as one row after the other.
abstract class ChunkInput extends BlockInput {

    private byte[] chunk = {};
    private int from;

    /// Returns the next bytes, or empty if there are none left.
    abstract Optional<byte[]> nextChunk() throws IOException;

    @Override
    public final int read(byte @Nullable [] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (from == chunk.length) {
            var next = nextChunk();
            if (next.isEmpty()) {
                return -1;
            }
            chunk = next.get();
            from = 0;
        }
        int taken = Math.min(length, chunk.length - from);
        System.arraycopy(chunk, from, target, offset, taken);
        from += taken;
        return taken;
    }
}
