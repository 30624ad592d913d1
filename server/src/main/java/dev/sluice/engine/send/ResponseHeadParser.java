package dev.sluice.engine.send;

import dev.sluice.engine.ResponseClass;

import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParser;
import org.apache.hc.core5.http.io.HttpTransportMetrics;
import org.apache.hc.core5.http.io.SessionInputBuffer;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.util.CharArrayBuffer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;

/// Parses the head of an HTTP response and limits its size to 64 KiB. Each connection has its own
/// instance.
///
/// Once the status line says 2xx, a head that is too large or malformed afterwards is returned as
/// an [InvalidHead] instead of being refused: the destination has accepted the event.
///
/// The library accepts a truncated head as complete; this parser rejects it.
final class ResponseHeadParser extends DefaultHttpResponseParser {

    static final int MAX_HEAD_BYTES = 64 << 10;

    /// A response whose status is 2xx and whose head is invalid after the status line.
    static final class InvalidHead extends BasicClassicHttpResponse {

        private final transient Exception cause;

        InvalidHead(int status, Exception cause) {
            super(status);
            this.cause = cause;
        }

        Exception cause() {
            return cause;
        }
    }

    private @Nullable SessionInputBuffer lastBuffer;

    /// The status of the head that is being parsed; 0 until its status line has been read.
    private int status;

    ResponseHeadParser(Http1Config limits) {
        super(limits);
    }

    @Override
    public ClassicHttpResponse parse(SessionInputBuffer buffer, InputStream in)
            throws IOException, HttpException {
        lastBuffer = buffer;
        status = 0;
        try {
            return super.parse(new SizeLimitedBuffer(buffer), in);
        } catch (HttpException | MessageConstraintException e) {
            if (ResponseClass.of(status) == ResponseClass.SUCCESS) {
                return new InvalidHead(status, e);
            }
            throw e;
        }
    }

    @Override
    protected ClassicHttpResponse createMessage(CharArrayBuffer statusLine)
            throws IOException, HttpException {
        try {
            var response = super.createMessage(statusLine);
            if (response.getCode() >= 100 && response.getCode() <= 599) {
                status = response.getCode();
                return response;
            }
        } catch (IllegalArgumentException e) {
            // The library does not expect a status of zero.
        }
        throw new ProtocolException("the status is not from 100 to 599");
    }

    /// Whether there are unread bytes after the last response. Called before a request is sent,
    /// when the receiver has no reason to send anything.
    boolean hasUnsolicitedBytes() {
        return lastBuffer != null && lastBuffer.length() > 0;
    }

    /// Adds up the lengths of the lines in one response head, and fails if the sum exceeds the
    /// limit.
    private static final class SizeLimitedBuffer implements SessionInputBuffer {

        private final SessionInputBuffer buffer;
        private int size;

        SizeLimitedBuffer(SessionInputBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public int readLine(CharArrayBuffer line, InputStream in) throws IOException {
            int length = buffer.readLine(line, in);
            if (length < 0 && size > 0) {
                throw new ConnectionClosedException("the response head was cut off");
            }
            size += line.length() + 2;
            if (size > MAX_HEAD_BYTES) {
                throw new MessageConstraintException("the response head is longer than 64 KiB");
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
