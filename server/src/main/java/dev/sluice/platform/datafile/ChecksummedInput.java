package dev.sluice.platform.datafile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.Arrays;

/// Reads a data file except for its last line, which contains the checksum of the bytes before it.
/// The stream always holds back as many bytes as the last line has, because they could be that
/// line. It therefore does not need to know the file's length, and can also read from a pipe.
final class ChecksummedInput extends BlockInput {

    private final InputStream in;
    private final MessageDigest digest = DataFileFormat.newDigest();
    private final byte[] buffer =
            new byte[DataFileFormat.BUFFER_BYTES + DataFileFormat.TRAILER_BYTES];
    private int from;
    private int to;

    ChecksummedInput(InputStream in) {
        this.in = in;
    }

    @Override
    public int read(byte @Nullable [] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int taken = Math.min(length, to - from - DataFileFormat.TRAILER_BYTES);
        System.arraycopy(buffer, from, target, offset, taken);
        digest.update(buffer, from, taken);
        from += taken;
        return taken;
    }

    /// Reads until the buffer has more bytes than the last line. Returns false at the end of the
    /// file.
    private boolean fill() throws IOException {
        while (to - from <= DataFileFormat.TRAILER_BYTES) {
            System.arraycopy(buffer, from, buffer, 0, to - from);
            to -= from;
            from = 0;
            int read = in.read(buffer, to, buffer.length - to);
            if (read < 0) {
                return false;
            }
            to += read;
        }
        return true;
    }

    /// Reads the rest of the file. Returns whether its last line is the checksum of all bytes
    /// before it.
    boolean isIntact() throws IOException {
        transferTo(OutputStream.nullOutputStream());
        return Arrays.equals(Arrays.copyOfRange(buffer, from, to), DataFileFormat.trailer(digest));
    }
}
