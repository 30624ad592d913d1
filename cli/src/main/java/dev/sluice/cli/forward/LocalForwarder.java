package dev.sluice.cli.forward;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.events.StoredEvent.StoredHeader;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// Sends events to a local address: the method, each header in its order and case, and the body
/// byte for byte, so that a signature still verifies there.
///
/// It writes requests itself, since HTTP clients sort headers and change their bytes. Each request
/// has a connection of its own.
public final class LocalForwarder {

    private static final Set<String> HOP_BY_HOP =
            Set.of(
                    "connection",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade",
                    "host",
                    "content-length",
                    "expect");

    /// The server shows this instead of a credential.
    private static final String MASK = "***";

    private static final String EVENT_ID_HEADER = "X-Service-Event-Id";

    private final Duration timeout;
    private final List<StoredHeader> moreHeaders;
    private final Set<String> withoutHeaders;

    /// @param moreHeaders replace those of the same name
    /// @param withoutHeaders names to leave out, in lower case
    public LocalForwarder(
            Duration timeout, List<StoredHeader> moreHeaders, Set<String> withoutHeaders) {
        this.timeout = timeout;
        this.moreHeaders = List.copyOf(moreHeaders);
        this.withoutHeaders = Set.copyOf(withoutHeaders);
    }

    public ForwardResult forward(StoredEvent event, ForwardTarget target) {
        long start = System.nanoTime();
        try (var socket = connect(target, start)) {
            var answer = exchange(socket, target, event, start);
            return new ForwardResult.Answered(answer.status(), answer.excerpt(), since(start));
        } catch (IOException e) {
            return new ForwardResult.Unanswered(problem(e, target), since(start));
        }
    }

    private LocalAnswer exchange(Socket socket, ForwardTarget target, StoredEvent event, long start)
            throws IOException {
        byte[] body = event.body();
        var out = socket.getOutputStream();
        out.write(head(event, target, body.length).getBytes(UTF_8));
        out.write(body);
        out.flush();
        return LocalAnswer.read(new DeadlineInput(socket, start));
    }

    private String head(StoredEvent event, ForwardTarget target, int length) {
        var head =
                new StringBuilder()
                        .append(event.method())
                        .append(' ')
                        .append(target.pathAndQuery())
                        .append(" HTTP/1.1\r\n");
        line(head, "Host", target.uri().getRawAuthority());
        for (var header : headers(event)) {
            line(head, header.name(), header.value());
        }
        line(head, "Content-Length", Integer.toString(length));
        line(head, "Connection", "close");
        return head.append("\r\n").toString();
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    /// What is sent of the event's headers, and those to add.
    private List<StoredHeader> headers(StoredEvent event) {
        var dropped = new HashSet<>(withoutHeaders);
        dropped.add(EVENT_ID_HEADER.toLowerCase(Locale.ROOT));
        moreHeaders.forEach(header -> dropped.add(header.name().toLowerCase(Locale.ROOT)));
        for (var header : event.headers()) {
            if (header.name().equalsIgnoreCase("connection")) {
                for (String name : header.value().split(",", -1)) {
                    dropped.add(name.strip().toLowerCase(Locale.ROOT));
                }
            }
        }
        var sent = new ArrayList<StoredHeader>();
        for (var header : event.headers()) {
            String name = header.name().toLowerCase(Locale.ROOT);
            if (!HOP_BY_HOP.contains(name)
                    && !dropped.contains(name)
                    && !header.value().equals(MASK)) {
                sent.add(header);
            }
        }
        sent.add(new StoredHeader(EVENT_ID_HEADER, event.id()));
        sent.addAll(moreHeaders);
        return sent;
    }

    private Socket connect(ForwardTarget target, long start) throws IOException {
        IOException last = new ConnectException();
        for (var address : target.addresses()) {
            var socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, target.port()), remaining(start));
                socket.setSoTimeout(remaining(start));
                return target.isEncrypted() ? encrypt(socket, target) : socket;
            } catch (IOException e) {
                socket.close();
                last = e;
                if (!(e instanceof ConnectException)) {
                    throw e;
                }
            }
        }
        throw last;
    }

    private static Socket encrypt(Socket socket, ForwardTarget target) throws IOException {
        var factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        var encrypted =
                (SSLSocket)
                        factory.createSocket(socket, target.uri().getHost(), target.port(), true);
        var parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /// Milliseconds until the timeout, at least one.
    private int remaining(long start) throws SocketTimeoutException {
        long millis = timeout.minus(since(start)).toMillis();
        if (millis <= 0) {
            throw new SocketTimeoutException();
        }
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    private String problem(IOException e, ForwardTarget target) {
        String authority = target.uri().getRawAuthority();
        return switch (e) {
            case SocketTimeoutException _ ->
                    "%s did not answer within %d ms".formatted(authority, timeout.toMillis());
            case ConnectException _ -> "nothing is listening on " + authority;
            case UnknownHostException _ -> "the host of " + authority + " is not known";
            case SSLException _ -> "TLS with %s failed: %s".formatted(authority, e.getMessage());
            default -> "%s broke off: %s".formatted(authority, e.getMessage());
        };
    }

    /// Reads from a socket until one deadline for the whole exchange.
    private final class DeadlineInput extends InputStream {

        private final Socket socket;
        private final InputStream in;
        private final long start;

        DeadlineInput(Socket socket, long start) throws IOException {
            this.socket = socket;
            this.in = socket.getInputStream();
            this.start = start;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            socket.setSoTimeout(remaining(start));
            return in.read(bytes, offset, length);
        }
    }

    /// A local service's answer.
    private record LocalAnswer(int status, String excerpt) {

        private static final int MAX_HEAD_BYTES = 64 * 1024;
        private static final int MAX_BODY_BYTES = 16 * 1024 * 1024;
        private static final int EXCERPT_BYTES = 2_000;

        /// Reads an answer to its end, so that the local service can finish it.
        static LocalAnswer read(InputStream raw) throws IOException {
            var in = new BufferedInputStream(raw);
            while (true) {
                var lines = readHead(in);
                int status = status(lines.getFirst());
                if (status / 100 == 1) {
                    continue; // an answer before the answer
                }
                return new LocalAnswer(status, readBody(in, status, lines));
            }
        }

        private static List<String> readHead(InputStream in) throws IOException {
            var lines = new ArrayList<String>();
            int size = 0;
            while (true) {
                String line = readLine(in);
                size += line.length() + 2;
                if (size > MAX_HEAD_BYTES) {
                    throw new IOException("its headers are too long");
                }
                if (line.isEmpty() && !lines.isEmpty()) {
                    return lines;
                }
                lines.add(line);
            }
        }

        private static String readLine(InputStream in) throws IOException {
            var line = new ByteArrayOutputStream();
            while (true) {
                int next = in.read();
                if (next < 0) {
                    throw new IOException("it closed the connection before it answered");
                }
                if (next == '\n') {
                    return line.toString(ISO_8859_1).stripTrailing();
                }
                line.write(next);
                if (line.size() > MAX_HEAD_BYTES) {
                    throw new IOException("a line is too long");
                }
            }
        }

        private static int status(String line) throws IOException {
            if (!line.matches("HTTP/1\\.[01] [1-9][0-9]{2}( .*)?")) {
                throw new IOException("it does not speak HTTP/1.1");
            }
            return Integer.parseInt(line.substring(9, 12));
        }

        private static String readBody(InputStream in, int status, List<String> head)
                throws IOException {
            if (status == 204 || status == 304) {
                return "";
            }
            String length = header(head, "content-length");
            var body = new ByteArrayOutputStream();
            if (header(head, "transfer-encoding").toLowerCase(Locale.ROOT).contains("chunked")) {
                readChunks(in, body);
            } else {
                copy(
                        in,
                        body,
                        length.matches("[0-9]{1,9}") ? Integer.parseInt(length) : MAX_BODY_BYTES);
            }
            return body.toString(UTF_8);
        }

        private static void readChunks(InputStream in, ByteArrayOutputStream body)
                throws IOException {
            while (true) {
                String size = readLine(in).replaceAll(";.*", "").strip();
                if (!size.matches("[0-9a-fA-F]{1,7}")) {
                    throw new IOException("a chunk has no size");
                }
                int bytes = Integer.parseInt(size, 16);
                if (bytes == 0) {
                    return;
                }
                copy(in, body, bytes);
                readLine(in);
            }
        }

        /// Reads so many bytes, or until the end, and keeps the first ones.
        private static void copy(InputStream in, ByteArrayOutputStream kept, int length)
                throws IOException {
            byte[] buffer = new byte[8_192];
            int left = Math.min(length, MAX_BODY_BYTES);
            while (left > 0) {
                int read = in.read(buffer, 0, Math.min(left, buffer.length));
                if (read < 0) {
                    return;
                }
                kept.write(buffer, 0, Math.min(read, Math.max(0, EXCERPT_BYTES - kept.size())));
                left -= read;
            }
        }

        private static String header(List<String> head, String name) {
            return head.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }
}
