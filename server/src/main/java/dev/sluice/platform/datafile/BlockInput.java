package dev.sluice.platform.datafile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;

/// A base class for input streams that implement only block reads. It reads a single byte as a
/// block of one byte.
abstract class BlockInput extends InputStream {

    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public abstract int read(byte @Nullable [] target, int offset, int length) throws IOException;
}
