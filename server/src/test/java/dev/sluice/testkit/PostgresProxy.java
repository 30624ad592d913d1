package dev.sluice.testkit;

import dev.sluice.platform.db.Database;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// A TCP proxy in front of PostgreSQL that can break or hold a connection at a commit.
///
/// It parses enough of the client's messages to recognise a `COMMIT` (PostgreSQL manual,
/// "Frontend/Backend Protocol"). Thread-safe.
public final class PostgresProxy implements AutoCloseable {

    /// The point at which a connection breaks.
    public enum CommitCut {
        /// The server never receives the commit.
        BEFORE_COMMIT,
        /// The server receives the commit, and the proxy does not wait for its answer. Whether it
        /// took effect shows only later.
        WITH_COMMIT,
        /// The server completes the commit, and its answer is lost.
        AFTER_COMMIT
    }

    /// A commit that the proxy holds back until the test opens the gate.
    public static final class CommitGate {

        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);

        /// Waits until the client has sent the commit.
        public void awaitArrival() throws InterruptedException {
            arrived.await();
        }

        public void open() {
            opened.countDown();
        }
    }

    /// A request to break the connection at the commit after `skipped` others. When `afterCut` is
    /// present, all connections break.
    private record ScheduledCut(
            AtomicInteger skipped,
            CommitCut cut,
            Optional<Runnable> beforeCut,
            Optional<Runnable> afterCut) {

        boolean isDue() {
            return skipped.getAndDecrement() == 0;
        }
    }

    private static final int SSL_REQUEST_CODE = 80_877_103;
    private static final int GSS_REQUEST_CODE = 80_877_104;

    private final ServerSocket listening;
    private final Database target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Optional<ScheduledCut>> nextCut =
            new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<CommitGate>> nextGate =
            new AtomicReference<>(Optional.empty());
    private volatile boolean isDown;

    private PostgresProxy(ServerSocket listening, Database target) {
        this.listening = listening;
        this.target = target;
    }

    public static PostgresProxy to(Database target) {
        try {
            var listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            var proxy = new PostgresProxy(listening, target);
            Thread.ofVirtual().start(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The database as clients reach it through this proxy.
    public Database database() {
        return new Database(
                "127.0.0.1",
                listening.getLocalPort(),
                target.name(),
                target.user(),
                target.password(),
                target.parameters());
    }

    /// Breaks the connection that commits next, and only that one.
    public void cutNextCommit(CommitCut cut) {
        nextCut.set(
                Optional.of(
                        new ScheduledCut(
                                new AtomicInteger(), cut, Optional.empty(), Optional.empty())));
    }

    /// Breaks all connections for good at one commit, as if the client were killed there.
    ///
    /// @param nth the number of the commit from now on, counted from 1
    /// @param dying runs first, before the server receives the commit
    /// @param dead runs after all connections are broken
    public void killAtCommit(int nth, CommitCut cut, Runnable dying, Runnable dead) {
        nextCut.set(
                Optional.of(
                        new ScheduledCut(
                                new AtomicInteger(nth - 1),
                                cut,
                                Optional.of(dying),
                                Optional.of(dead))));
    }

    /// Returns whether the requested cut has not happened yet.
    public boolean isCutPending() {
        return nextCut.get().isPresent();
    }

    public CommitGate holdNextCommit() {
        var commit = new CommitGate();
        nextGate.set(Optional.of(commit));
        return commit;
    }

    /// Breaks all connections and refuses new ones.
    public void takeDown() {
        isDown = true;
        open.forEach(PostgresProxy::closeQuietly);
    }

    public void bringUp() {
        isDown = false;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                var client = listening.accept();
                open.add(client);
                if (isDown) {
                    closeQuietly(client);
                } else {
                    Thread.ofVirtual().start(() -> serve(client));
                }
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                var server = new Socket(target.host(), target.port())) {
            client.setTcpNoDelay(true); // otherwise each answer waits for an acknowledgement
            server.setTcpNoDelay(true);
            open.add(server);
            new ProxiedConnection(client, server).run();
        } catch (IOException e) {
            // The proxy, the client or the server broke the connection.
        } finally {
            open.remove(client);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed already.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        takeDown();
    }

    /// The two sockets of one proxied client, and the threads that copy between them.
    private final class ProxiedConnection {

        private final Socket client;
        private final Socket server;
        private final DataInputStream fromClient;
        private final DataOutputStream toServer;

        /// The names of the prepared statements that are a `COMMIT`.
        private final Set<String> commitStatements = new HashSet<>();

        /// True from the moment when only the end of the server's answer matters.
        private volatile boolean isEnding;

        /// Present when all connections break with this one; runs after that.
        private Optional<Runnable> afterCut = Optional.empty();

        ProxiedConnection(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            this.fromClient = new DataInputStream(client.getInputStream());
            this.toServer = new DataOutputStream(server.getOutputStream());
        }

        void run() throws IOException {
            var answers = Thread.ofVirtual().start(this::relayResponses);
            try {
                relayStartupMessages();
                while (relayMessage()) {
                    // until one side closes the connection
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                if (isEnding) {
                    awaitEnd(answers);
                }
                closeQuietly(client);
                closeQuietly(server);
                if (afterCut.isPresent()) {
                    takeDown();
                    afterCut.get().run();
                }
            }
        }

        private void awaitEnd(Thread answers) {
            try {
                answers.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /// Copies the startup messages, which have no type byte.
        private void relayStartupMessages() throws IOException {
            int code;
            do {
                byte[] greeting = new byte[fromClient.readInt() - 4];
                fromClient.readFully(greeting);
                toServer.writeInt(greeting.length + 4);
                toServer.write(greeting);
                toServer.flush();
                code = ByteBuffer.wrap(greeting).getInt();
            } while (code == SSL_REQUEST_CODE || code == GSS_REQUEST_CODE);
        }

        /// Copies one message. Returns false when it was the last.
        private boolean relayMessage() throws IOException, InterruptedException {
            int type = fromClient.read();
            if (type < 0) {
                return false;
            }
            byte[] message = new byte[fromClient.readInt() - 4];
            fromClient.readFully(message);
            if (isCommit((char) type, message)) {
                var hold = nextGate.getAndSet(Optional.empty());
                if (hold.isPresent()) {
                    hold.get().arrived.countDown();
                    hold.get().opened.await();
                }
                var order = nextCut.get();
                if (order.isPresent() && order.get().isDue()) {
                    nextCut.compareAndSet(order, Optional.empty());
                    afterCut = order.get().afterCut();
                    isDown |= afterCut.isPresent();
                    order.get().beforeCut().ifPresent(Runnable::run);
                    cutAtCommit(order.get().cut(), type, message);
                    return false;
                }
            }
            write(type, message);
            return true;
        }

        private void cutAtCommit(CommitCut cut, int type, byte[] message) throws IOException {
            if (cut == CommitCut.BEFORE_COMMIT) {
                return;
            }
            isEnding = cut == CommitCut.AFTER_COMMIT;
            int last = type;
            byte[] rest = message;
            write(last, rest);
            while (last != 'S' && last != 'Q') {
                last = fromClient.read();
                rest = new byte[fromClient.readInt() - 4];
                fromClient.readFully(rest);
                write(last, rest);
            }
        }

        private void write(int type, byte[] message) throws IOException {
            toServer.write(
                    ByteBuffer.allocate(5 + message.length)
                            .put((byte) type)
                            .putInt(message.length + 4)
                            .put(message)
                            .array());
        }

        /// Returns whether this message executes a `COMMIT`. The driver names a prepared statement
        /// in a `Parse` message and later refers to it by name.
        private boolean isCommit(char type, byte[] message) {
            return switch (type) {
                case 'Q' -> text(message, 0).equalsIgnoreCase("commit");
                case 'P' -> {
                    String name = text(message, 0);
                    if (text(message, length(name)).equalsIgnoreCase("commit")) {
                        commitStatements.add(name);
                    } else {
                        commitStatements.remove(name);
                    }
                    yield false;
                }
                case 'B' -> commitStatements.contains(text(message, length(text(message, 0))));
                default -> false;
            };
        }

        private static int length(String text) {
            return text.getBytes(StandardCharsets.UTF_8).length + 1;
        }

        private static String text(byte[] message, int from) {
            int end = from;
            while (message[end] != 0) {
                end++;
            }
            return new String(message, from, end - from, StandardCharsets.UTF_8);
        }

        private void relayResponses() {
            byte[] buffer = new byte[8192];
            try {
                var in = server.getInputStream();
                var out = client.getOutputStream();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    if (isEnding) {
                        return;
                    }
                    out.write(buffer, 0, count);
                    out.flush();
                }
            } catch (IOException e) {
                // The other direction handles the end of the connection.
            } finally {
                if (!isEnding) {
                    closeQuietly(client);
                    closeQuietly(server);
                }
            }
        }
    }
}
