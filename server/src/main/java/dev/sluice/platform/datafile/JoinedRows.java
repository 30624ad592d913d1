package dev.sluice.platform.datafile;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/// One of several streams in COPY's binary format, without the parts that it must not have to make
/// one stream together with the others: only the first keeps its signature, and only the last its
/// end.
public final class JoinedRows extends BlockInput {

    private static final int START_BYTES = 19; // signature, flags, and an empty extension
    private static final int END_BYTES = 2;

    private final InputStream in;
    private final boolean isFirst;

    /// The last bytes that were read, which are passed on only if more follow.
    private byte[] held;

    private boolean isStarted;

    /// @param in rows as PostgreSQL writes them
    public JoinedRows(InputStream in, boolean isFirst, boolean isLast) {
        this.in = in;
        this.isFirst = isFirst;
        this.held = new byte[isLast ? 0 : END_BYTES];
    }

    @Override
    public int read(byte @Nullable [] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        start();
        byte[] next = new byte[length];
        int read = in.read(next);
        if (read < 0) {
            return -1;
        }
        byte[] all = Arrays.copyOf(held, held.length + read);
        System.arraycopy(next, 0, all, held.length, read);
        System.arraycopy(all, 0, target, offset, read);
        held = Arrays.copyOfRange(all, read, all.length);
        return read;
    }

    private void start() throws IOException {
        if (isStarted) {
            return;
        }
        isStarted = true;
        if (!isFirst) {
            in.skipNBytes(START_BYTES);
        }
        if (in.readNBytes(held, 0, held.length) < held.length) {
            throw new EOFException("PostgreSQL sent rows without an end.");
        }
    }
}
