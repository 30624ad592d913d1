package dev.sluice.platform.http;

import org.eclipse.jetty.http.HostPortHttpField;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
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

/// HTTP connections that keep each header's name as it was sent, and do not wait long for one.
///
/// The server's parser writes the names it knows its own way, some of them whatever it is told. So
/// the bytes of the head are read a second time, for the names only. What a head may take that does
/// not come in one piece is bounded by `UnfinishedHead`.
final class ExactNames extends HttpConnectionFactory {

    /// Of all heads that are not whole yet.
    private static final long MOST_HEAD_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    private final BodyMemory heads = new BodyMemory(MOST_HEAD_BYTES);
    private final Duration patience;

    /// @param patience with a head, from its first byte on
    ExactNames(HttpConfiguration configuration, Duration patience) {
        super(configuration);
        this.patience = patience;
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        var connection = new Exact(getHttpConfiguration(), connector, endPoint);
        connection.bound(new UnfinishedHead(endPoint, heads, patience));
        connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
        return configure(connection, connector, endPoint);
    }

    private static final class Exact extends HttpConnection {

        private final ReentrantLock reading = new ReentrantLock();

        /// Set while the super class is constructed, so it must not be initialised here.
        private @Nullable Handler handler;

        Exact(HttpConfiguration configuration, Connector connector, EndPoint endPoint) {
            super(configuration, connector, endPoint);
        }

        /// An error is answered on another thread, which may begin to read what follows before this
        /// one has let go of the buffer they share.
        @Override
        public void onFillable() {
            reading.lock();
            try {
                super.onFillable();
            } finally {
                reading.unlock();
            }
        }

        void bound(UnfinishedHead head) {
            parser().unfinished = head;
        }

        private Parser parser() {
            return (Parser) getParser();
        }

        /// Nothing came for as long as it was waited for: part of a head is refused, between two
        /// requests the connection is closed.
        @Override
        public void onFillInterestedFailed(Throwable cause) {
            if (!(cause instanceof TimeoutException)) {
                super.onFillInterestedFailed(cause);
            } else if (parser().isHeadUnderWay()) {
                parser().refuse(HttpStatus.REQUEST_TIMEOUT_408);
            } else {
                close();
            }
        }

        @Override
        public void onClose(@Nullable Throwable cause) {
            parser().endOfHead();
            super.onClose(cause);
        }

        @Override
        protected HttpConnection.RequestHandler newRequestHandler() {
            handler = new Handler();
            return handler;
        }

        @Override
        protected HttpParser newHttpParser(HttpCompliance compliance) {
            var configuration = getHttpConfiguration();
            var parser =
                    new Parser(
                            Objects.requireNonNull(handler),
                            configuration.getRequestHeaderSize(),
                            compliance);
            parser.setHeaderCacheSize(configuration.getHeaderCacheSize());
            parser.setHeaderCacheCaseSensitive(configuration.isHeaderCacheCaseSensitive());
            return parser;
        }

        /// Holds back the headers until the whole head was read.
        private final class Handler extends HttpConnection.RequestHandler {

            private final List<HttpField> fields = new ArrayList<>();

            @Override
            public void startRequest(
                    String method, String uri, org.eclipse.jetty.http.HttpVersion version) {
                fields.clear();
                super.startRequest(method, uri, version);
            }

            @Override
            public void parsedHeader(HttpField field) {
                fields.add(field);
            }

            @Override
            public boolean headerComplete() {
                parser().endOfHead();
                String head = parser().head();
                int line = endOfLine(head, startOfRequest(head));
                for (var field : fields) {
                    super.parsedHeader(named(field, head, line));
                    line = endOfLine(head, line);
                }
                return super.headerComplete();
            }
        }
    }

    /// Remembers the bytes of the head that it reads.
    private static final class Parser extends HttpParser {

        /// Of the request under way, what came with earlier reads.
        private final ByteArrayOutputStream earlier = new ByteArrayOutputStream();

        /// Set right after the connection is constructed.
        private @Nullable UnfinishedHead unfinished;

        private ByteBuffer reading = ByteBuffer.allocate(0);
        private int from;

        Parser(HttpParser.RequestHandler handler, int mostHeaderBytes, HttpCompliance compliance) {
            super(handler, mostHeaderBytes, compliance);
        }

        @Override
        public boolean parseNext(ByteBuffer buffer) {
            if (isStart()) {
                earlier.reset();
            }
            if (!inHeaderState()) {
                return super.parseNext(buffer);
            }
            if (unfinished != null && unfinished.isLate()) {
                refuse(HttpStatus.REQUEST_TIMEOUT_408);
                return false;
            }
            reading = buffer;
            from = buffer.position();
            boolean result = super.parseNext(buffer);
            if (inHeaderState() && buffer.position() > from) {
                goOn();
            }
            return result;
        }

        /// The read did not end the head. Empty lines before a request count as its beginning.
        private void goOn() {
            byte[] read = read();
            if (unfinished != null && !unfinished.read(read.length)) {
                refuse(HttpStatus.SERVICE_UNAVAILABLE_503);
            } else if (!isStart()) {
                earlier.writeBytes(read);
            }
        }

        boolean isHeadUnderWay() {
            return unfinished != null && unfinished.isWaiting();
        }

        void endOfHead() {
            if (unfinished != null) {
                unfinished.end();
            }
        }

        void refuse(int status) {
            badMessage(new HttpException.RuntimeException(status));
        }

        @Override
        protected void badMessage(HttpException failure) {
            endOfHead();
            super.badMessage(failure);
        }

        private byte[] read() {
            byte[] bytes = new byte[Math.max(0, reading.position() - from)];
            reading.get(from, bytes);
            return bytes;
        }

        String head() {
            String latest = new String(read(), StandardCharsets.ISO_8859_1);
            return earlier.size() == 0
                    ? latest
                    : earlier.toString(StandardCharsets.ISO_8859_1) + latest;
        }
    }

    /// Empty lines may stand before a request (RFC 9112, 2.2).
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

    /// The field with the name that stands at `line`, if that is the same but for its case.
    private static HttpField named(HttpField field, String head, int line) {
        String known = field.getName();
        int length = known.length();
        if (head.startsWith(known, line) || !head.regionMatches(true, line, known, 0, length)) {
            return field;
        }
        String name = head.substring(line, line + length);
        return field instanceof HostPortHttpField
                ? new Host(field, name)
                : new HttpField(field.getHeader(), name, field.getValue());
    }

    /// The server looks for this class.
    private static final class Host extends HostPortHttpField {

        Host(HttpField field, String name) {
            super(field.getHeader(), name, field.getValue());
        }
    }
}
