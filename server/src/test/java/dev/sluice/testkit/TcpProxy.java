package dev.sluice.testkit;

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

/// Stands between a client and PostgreSQL, understands enough of what the client says to know a
/// commit when it sees one, and can cut the connection there.
public final class TcpProxy implements AutoCloseable {

    /// Where a connection breaks.
    public enum Cut {
        /// The server never sees the commit.
        BEFORE_COMMIT,
        /// The server has it, and whether it was done shows only later.
        WITH_COMMIT,
        /// The server did it, and its answer is lost.
        AFTER_COMMIT
    }

    /// A commit that is kept from the server until it is let through.
    public static final class HeldCommit {

        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch free = new CountDownLatch(1);

        /// Returns when the client has sent it.
        public void awaitArrival() throws InterruptedException {
            arrived.await();
        }

        public void letThrough() {
            free.countDown();
        }
    }

    /// To cut the commit that comes after `skipped` others; with it all connections, where somebody
    /// is to be told.
    private record Order(
            AtomicInteger skipped, Cut cut, Optional<Runnable> dying, Optional<Runnable> dead) {

        boolean isDue() {
            return skipped.getAndDecrement() == 0;
        }
    }

    private static final int SSL_REQUEST = 80_877_103;
    private static final int GSS_REQUEST = 80_877_104;

    private final ServerSocket listening;
    private final String host;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Optional<Order>> next = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<HeldCommit>> held =
            new AtomicReference<>(Optional.empty());
    private volatile boolean isAway;

    private TcpProxy(ServerSocket listening, String host, int port) {
        this.listening = listening;
        this.host = host;
        this.port = port;
    }

    public static TcpProxy to(String host, int port) {
        try {
            var listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            var proxy = new TcpProxy(listening, host, port);
            Thread.ofVirtual().start(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return listening.getLocalPort();
    }

    /// Breaks the connection that commits next, and that one only.
    public void cutNextCommit(Cut cut) {
        next.set(
                Optional.of(
                        new Order(new AtomicInteger(), cut, Optional.empty(), Optional.empty())));
    }

    /// Breaks all connections for good at one commit, as when the client is killed there.
    ///
    /// @param nth which commit from now on, 1-based
    /// @param dying called first; the server has not seen the commit then
    /// @param dead called when all is cut
    public void dieAtCommit(int nth, Cut cut, Runnable dying, Runnable dead) {
        next.set(
                Optional.of(
                        new Order(
                                new AtomicInteger(nth - 1),
                                cut,
                                Optional.of(dying),
                                Optional.of(dead))));
    }

    /// Whether the cut that was ordered is still to come.
    public boolean isCutPending() {
        return next.get().isPresent();
    }

    public HeldCommit holdNextCommit() {
        var commit = new HeldCommit();
        held.set(Optional.of(commit));
        return commit;
    }

    /// Breaks all connections and takes no new ones.
    public void goAway() {
        isAway = true;
        open.forEach(TcpProxy::shut);
    }

    public void comeBack() {
        isAway = false;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                var client = listening.accept();
                open.add(client);
                if (isAway) {
                    shut(client);
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
                var server = new Socket(host, port)) {
            client.setTcpNoDelay(true); // or each answer waits for an acknowledgement
            server.setTcpNoDelay(true);
            open.add(server);
            new Conversation(client, server).run();
        } catch (IOException e) {
            // Cut by us or by one of the two.
        } finally {
            open.remove(client);
        }
    }

    private static void shut(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed is closed.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        goAway();
    }

    /// One client's connection.
    private final class Conversation {

        private final Socket client;
        private final Socket server;
        private final DataInputStream fromClient;
        private final DataOutputStream toServer;

        /// Names that the client gave to its `COMMIT`.
        private final Set<String> commits = new HashSet<>();

        /// The server's next answer is the last thing that is waited for.
        private volatile boolean isEnding;

        /// Present when all connections go with this one: to be called then.
        private Optional<Runnable> dead = Optional.empty();

        Conversation(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            this.fromClient = new DataInputStream(client.getInputStream());
            this.toServer = new DataOutputStream(server.getOutputStream());
        }

        void run() throws IOException {
            var answers = Thread.ofVirtual().start(this::passAnswers);
            try {
                passGreetings();
                while (passMessage()) {
                    // until one of the two goes
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                if (isEnding) {
                    awaitEnd(answers);
                }
                shut(client);
                shut(server);
                if (dead.isPresent()) {
                    goAway();
                    dead.get().run();
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

        /// Those have no type byte.
        private void passGreetings() throws IOException {
            int code;
            do {
                byte[] greeting = new byte[fromClient.readInt() - 4];
                fromClient.readFully(greeting);
                toServer.writeInt(greeting.length + 4);
                toServer.write(greeting);
                toServer.flush();
                code = ByteBuffer.wrap(greeting).getInt();
            } while (code == SSL_REQUEST || code == GSS_REQUEST);
        }

        /// False when this was the last.
        private boolean passMessage() throws IOException, InterruptedException {
            int type = fromClient.read();
            if (type < 0) {
                return false;
            }
            byte[] message = new byte[fromClient.readInt() - 4];
            fromClient.readFully(message);
            if (isCommit((char) type, message)) {
                var hold = held.getAndSet(Optional.empty());
                if (hold.isPresent()) {
                    hold.get().arrived.countDown();
                    hold.get().free.await();
                }
                var order = next.get();
                if (order.isPresent() && order.get().isDue()) {
                    next.compareAndSet(order, Optional.empty());
                    dead = order.get().dead();
                    isAway |= dead.isPresent();
                    order.get().dying().ifPresent(Runnable::run);
                    end(order.get().cut(), type, message);
                    return false;
                }
            }
            write(type, message);
            return true;
        }

        private void end(Cut cut, int type, byte[] message) throws IOException {
            if (cut == Cut.BEFORE_COMMIT) {
                return;
            }
            isEnding = cut == Cut.AFTER_COMMIT;
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

        /// The statement is named once and then called by its name.
        private boolean isCommit(char type, byte[] message) {
            return switch (type) {
                case 'Q' -> text(message, 0).equalsIgnoreCase("commit");
                case 'P' -> {
                    String name = text(message, 0);
                    if (text(message, length(name)).equalsIgnoreCase("commit")) {
                        commits.add(name);
                    } else {
                        commits.remove(name);
                    }
                    yield false;
                }
                case 'B' -> commits.contains(text(message, length(text(message, 0))));
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

        private void passAnswers() {
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
                // The other direction notices too.
            } finally {
                if (!isEnding) {
                    shut(client);
                    shut(server);
                }
            }
        }
    }
}
