package dev.sluice.cli.forward;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.shell.Backoff;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;

/// Sends events to a local address. Unless the rules say otherwise, keeps the method, the order and
/// case of the headers, and every byte of the body, so the receiver can still verify a signature.
/// Leaves out hop-by-hop headers and headers whose values the server masks.
///
/// It writes the HTTP requests itself because HTTP client libraries may reorder headers or change
/// their bytes. Each request uses a new connection.
public final class LocalForwarder {

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

    private final ForwardRules rules;

    public LocalForwarder(ForwardRules rules) {
        this.rules = rules;
    }

    /// Sends an event. After a failed attempt, tries again until an attempt succeeds or the retries
    /// that the rules allow are used up. Returns the result of the last attempt.
    public ForwardResult forward(StoredEvent event, ForwardTarget target) {
        var result = attempt(event, target);
        var backoff = new Backoff(FIRST_PAUSE, MAX_PAUSE);
        for (int retry = 0; retry < rules.retries() && !result.isSuccess(); retry++) {
            backoff.await();
            result = attempt(event, target);
        }
        return result;
    }

    private ForwardResult attempt(StoredEvent event, ForwardTarget target) {
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
        var out = socket.getOutputStream();
        try (var deadline = new WriteDeadline(socket, remaining(start))) {
            try {
                out.write(RequestHead.of(event, target, rules).getBytes(ISO_8859_1));
                out.write(event.body());
                out.flush();
            } catch (IOException e) {
                throw deadline.hasPassed() ? new SocketTimeoutException() : e;
            }
        }
        return LocalAnswer.read(new DeadlineInput(socket, start));
    }

    private Socket connect(ForwardTarget target, long start) throws IOException {
        IOException last = new ConnectException();
        for (var address : target.addresses()) {
            var socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, target.port()), remaining(start));
                socket.setSoTimeout(remaining(start));
                return target.isEncrypted() ? rules.tls().encrypt(socket, target) : socket;
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

    /// Returns the number of milliseconds left until the timeout, at least 1.
    ///
    /// @throws SocketTimeoutException if the timeout has passed
    private int remaining(long start) throws SocketTimeoutException {
        long millis = rules.timeout().minus(since(start)).toMillis();
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
                    "%s did not answer within %d ms"
                            .formatted(authority, rules.timeout().toMillis());
            case ConnectException _ -> "nothing is listening on " + authority;
            case UnknownHostException _ -> "the host of " + authority + " is unknown";
            case SSLException _ -> "TLS with %s failed: %s".formatted(authority, e.getMessage());
            default -> "%s failed to answer: %s".formatted(authority, e.getMessage());
        };
    }

    /// Closes a socket if writing to it takes too long. This ends a write that is blocked because
    /// the other side is not reading; Java sockets have no timeout for writes.
    private static final class WriteDeadline implements AutoCloseable {

        private final CountDownLatch isWritten = new CountDownLatch(1);
        private volatile boolean hasPassed;

        WriteDeadline(Socket socket, int millis) {
            Thread.ofVirtual().name("write deadline").start(() -> await(socket, millis));
        }

        private void await(Socket socket, int millis) {
            try {
                if (!isWritten.await(millis, TimeUnit.MILLISECONDS)) {
                    hasPassed = true;
                    socket.setSoLinger(true, 0); // otherwise a TLS `close` waits for the hung write
                    socket.close();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                // The socket is closed either way.
            }
        }

        boolean hasPassed() {
            return hasPassed;
        }

        @Override
        public void close() {
            isWritten.countDown();
        }
    }

    /// Reads from a socket, with one deadline for the whole exchange.
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
}
