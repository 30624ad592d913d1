package dev.sluice.platform.datafile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;

/// An input stream whose subclasses implement only block reads. This class reads a single byte as a
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
