package dev.sluice.platform.http;

import org.eclipse.jetty.http.HostPortHttpField;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/// Creates Jetty connections that preserve the case of header names and refuse request heads that
/// arrive too slowly.
///
/// Jetty's parser replaces the header names it knows with its own spelling, and no setting turns
/// this off for all names. These connections therefore read the bytes of the head a second time, to
/// get the original names. [PartialHeadLimiter] limits the time and memory of a head that arrives
/// in several pieces.
final class RawHeaderConnections extends HttpConnectionFactory {

    /// The maximum memory, in bytes, that all incomplete heads together may use. On a heap below 1
    /// GiB, the maximum is 1/16 of the heap.
    private static final long MAX_HEAD_MEMORY_BYTES = 64L << 20;

    private final InboundMemory headMemory =
            InboundMemory.of(MAX_HEAD_MEMORY_BYTES, 16, Duration.ZERO);
    private final Duration headTimeout;

    /// @param headTimeout how long a whole head may take to arrive, from its first byte
    RawHeaderConnections(HttpConfiguration configuration, Duration headTimeout) {
        super(configuration);
        this.headTimeout = headTimeout;
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        var connection = new RawHeaderConnection(getHttpConfiguration(), connector, endPoint);
        connection.limitHead(new PartialHeadLimiter(endPoint, headMemory, headTimeout));
        connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
        return configure(connection, connector, endPoint);
    }

    /// Whether the connection is between two requests: no request is being handled, and none has
    /// begun to arrive. May be called by any thread.
    static boolean isWithoutRequest(Connection connection) {
        return connection instanceof RawHeaderConnection known && known.isWithoutRequest();
    }

    /// One connection. It gives Jetty a parser and a request handler that preserve the raw header
    /// names.
    private static final class RawHeaderConnection extends HttpConnection {

        private final ReentrantLock readLock = new ReentrantLock();

        /// The superclass constructor sets this field, so an initializer here would overwrite the
        /// value.
        private @Nullable RawHeaderCollector collector;

        RawHeaderConnection(
                HttpConfiguration configuration, Connector connector, EndPoint endPoint) {
            super(configuration, connector, endPoint);
        }

        /// Reads from the connection. Only one thread reads at a time.
        ///
        /// The lock is needed because Jetty sends error responses on another thread. That thread
        /// may start to read the next request while this thread is still using the shared buffer.
        @Override
        public void onFillable() {
            readLock.lock();
            try {
                super.onFillable();
            } finally {
                readLock.unlock();
            }
        }

        void limitHead(PartialHeadLimiter head) {
            parser().partialHead = head;
        }

        private boolean isWithoutRequest() {
            return getHttpChannel().getRequest() == null && !parser().isHeadPartial();
        }

        private HeadRecorder parser() {
            return (HeadRecorder) getParser();
        }

        /// Handles the idle timeout. If a head is incomplete, refuses the request. Between two
        /// requests, closes the connection.
        @Override
        public void onFillInterestedFailed(Throwable cause) {
            if (!(cause instanceof TimeoutException)) {
                super.onFillInterestedFailed(cause);
            } else if (parser().isHeadPartial()) {
                parser().refuseAtTimeout();
            } else {
                close();
            }
        }

        @Override
        public void onClose(@Nullable Throwable cause) {
            parser().endHead();
            super.onClose(cause);
        }

        @Override
        protected HttpConnection.RequestHandler newRequestHandler() {
            collector = new RawHeaderCollector();
            return collector;
        }

        @Override
        protected HttpParser newHttpParser(HttpCompliance compliance) {
            var configuration = getHttpConfiguration();
            var parser =
                    new HeadRecorder(
                            Objects.requireNonNull(collector),
                            configuration.getRequestHeaderSize(),
                            compliance);
            parser.setHeaderCacheSize(configuration.getHeaderCacheSize());
            parser.setHeaderCacheCaseSensitive(configuration.isHeaderCacheCaseSensitive());
            return parser;
        }

        /// Collects the headers until the head is complete, then passes them on with their raw
        /// names.
        private final class RawHeaderCollector extends HttpConnection.RequestHandler {

            private final List<HttpField> fields = new ArrayList<>();
            private boolean isHttp10;

            @Override
            public void startRequest(String method, String uri, HttpVersion version) {
                fields.clear();
                isHttp10 = version == HttpVersion.HTTP_1_0;
                super.startRequest(method, uri, version);
            }

            @Override
            public void parsedHeader(HttpField field) {
                fields.add(field);
            }

            /// Whether the field must be hidden from Jetty. An HTTP/1.0 client does not understand
            /// a 100 response, so its `Expect` is ignored (RFC 9110, 10.1.1).
            private boolean isIgnored(HttpField field) {
                return isHttp10 && field.getHeader() == HttpHeader.EXPECT;
            }

            @Override
            public boolean headerComplete() {
                parser().endHead();
                String head = parser().head();
                int line = endOfLine(head, startOfRequest(head));
                for (var field : fields) {
                    if (!isIgnored(field)) {
                        super.parsedHeader(withOriginalName(field, head, line));
                    }
                    line = endOfLine(head, line);
                }
                return super.headerComplete();
            }
        }
    }

    /// A parser that records the bytes of the head it reads.
    private static final class HeadRecorder extends HttpParser {

        /// The bytes of the current head that were consumed by earlier reads.
        private final ByteArrayOutputStream earlierBytes = new ByteArrayOutputStream();

        /// Null until `limitHead` is called, right after the connection is constructed.
        private @Nullable PartialHeadLimiter partialHead;

        private ByteBuffer currentBuffer = ByteBuffer.allocate(0);
        private int readStart;

        HeadRecorder(
                HttpParser.RequestHandler handler, int maxHeaderBytes, HttpCompliance compliance) {
            super(handler, maxHeaderBytes, compliance);
        }

        @Override
        public boolean parseNext(ByteBuffer buffer) {
            if (isStart()) {
                earlierBytes.reset();
            }
            if (!inHeaderState()) {
                return super.parseNext(buffer);
            }
            if (partialHead != null && partialHead.isLate()) {
                refuse(HttpStatus.REQUEST_TIMEOUT_408);
                return false;
            }
            currentBuffer = buffer;
            readStart = buffer.position();
            boolean result = super.parseNext(buffer);
            if (inHeaderState() && buffer.position() > readStart) {
                keepPartialHead();
            }
            return result;
        }

        /// Keeps the bytes of a read that did not complete the head. Empty lines that arrive before
        /// the request line also start the timeout for the head, but they are not kept.
        private void keepPartialHead() {
            byte[] read = read();
            if (partialHead != null && !partialHead.read(read.length)) {
                refuse(HttpStatus.SERVICE_UNAVAILABLE_503);
            } else if (!isStart()) {
                earlierBytes.writeBytes(read);
            }
        }

        boolean isHeadPartial() {
            return partialHead != null && partialHead.isWaiting();
        }

        void refuseAtTimeout() {
            refuse(
                    partialHead == null
                            ? HttpStatus.REQUEST_TIMEOUT_408
                            : partialHead.timeoutStatus());
        }

        void endHead() {
            if (partialHead != null) {
                partialHead.end();
            }
        }

        void refuse(int status) {
            badMessage(new HttpException.RuntimeException(status));
        }

        @Override
        protected void badMessage(HttpException failure) {
            endHead();
            super.badMessage(failure);
        }

        /// Returns the bytes that the parser consumed in the latest read.
        private byte[] read() {
            byte[] bytes = new byte[Math.max(0, currentBuffer.position() - readStart)];
            currentBuffer.get(readStart, bytes);
            return bytes;
        }

        /// Returns the whole head as Latin-1, once it is complete.
        String head() {
            String latest = new String(read(), StandardCharsets.ISO_8859_1);
            return earlierBytes.size() == 0
                    ? latest
                    : earlierBytes.toString(StandardCharsets.ISO_8859_1) + latest;
        }
    }

    /// Returns the index at which the request line begins. Empty lines are allowed before it (RFC
    /// 9112, 2.2).
    private static int startOfRequest(String head) {
        int at = 0;
        while (at < head.length() && (head.charAt(at) == '\r' || head.charAt(at) == '\n')) {
            at++;
        }
        return at;
    }

    private static int endOfLine(String head, int from) {
        int end = head.indexOf('\n', from);
        return end < 0 ? head.length() : end + 1;
    }

    /// Returns the field with its name spelled as it is at index `line` of the head. If the two
    /// spellings differ in more than case, returns the field unchanged.
    private static HttpField withOriginalName(HttpField field, String head, int line) {
        String known = field.getName();
        int length = known.length();
        if (head.startsWith(known, line) || !head.regionMatches(true, line, known, 0, length)) {
            return field;
        }
        String name = head.substring(line, line + length);
        return field instanceof HostPortHttpField
                ? new RawHostField(field, name)
                : new HttpField(field.getHeader(), name, field.getValue());
    }

    /// A `Host` field with its raw name. It extends [HostPortHttpField] because Jetty requires that
    /// class for `Host`.
    private static final class RawHostField extends HostPortHttpField {

        RawHostField(HttpField field, String name) {
            super(field.getHeader(), name, field.getValue());
        }
    }
}
