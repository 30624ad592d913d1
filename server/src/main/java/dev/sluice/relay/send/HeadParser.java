package dev.sluice.relay.send;

import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParser;
import org.apache.hc.core5.http.io.HttpTransportMetrics;
import org.apache.hc.core5.http.io.SessionInputBuffer;
import org.apache.hc.core5.util.CharArrayBuffer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;

/// Reads the head of an answer, at most 64 KiB of it. Belongs to one connection.
///
/// The library takes a head that breaks off for a complete one; here it is an error.
final class HeadParser extends DefaultHttpResponseParser {

    private static final int LONGEST_HEAD = 64 << 10;

    private @Nullable SessionInputBuffer read;

    HeadParser(Http1Config limits) {
        super(limits);
    }

    @Override
    public ClassicHttpResponse parse(SessionInputBuffer buffer, InputStream in)
            throws IOException, HttpException {
        read = buffer;
        return super.parse(new Metered(buffer), in);
    }

    /// Whether something was read that belongs to no answer asked for.
    boolean hasLeftover() {
        return read != null && read.length() > 0;
    }

    /// Counts the lines of one head.
    private static final class Metered implements SessionInputBuffer {

        private final SessionInputBuffer buffer;
        private int size;

        Metered(SessionInputBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public int readLine(CharArrayBuffer line, InputStream in) throws IOException {
            int length = buffer.readLine(line, in);
            if (length < 0 && size > 0) {
                throw new ConnectionClosedException("the head broke off");
            }
            size += line.length() + 2;
            if (size > LONGEST_HEAD) {
                throw new MessageConstraintException("the head is longer than 64 KiB");
            }
            return length;
        }

        @Override
        public int length() {
            return buffer.length();
        }

        @Override
        public int capacity() {
            return buffer.capacity();
        }

        @Override
        public int available() {
            return buffer.available();
        }

        @Override
        public int read(byte[] bytes, int offset, int length, InputStream in) throws IOException {
            return buffer.read(bytes, offset, length, in);
        }

        @Override
        public int read(byte[] bytes, InputStream in) throws IOException {
            return buffer.read(bytes, in);
        }

        @Override
        public int read(InputStream in) throws IOException {
            return buffer.read(in);
        }

        @Override
        public HttpTransportMetrics getMetrics() {
            return buffer.getMetrics();
        }
    }
}
