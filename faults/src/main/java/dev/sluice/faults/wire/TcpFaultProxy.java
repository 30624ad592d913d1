package dev.sluice.faults.wire;

import static dev.sluice.bench.platform.UncheckedCalls.closeQuietly;
import static dev.sluice.bench.platform.UncheckedCalls.unchecked;
import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import dev.sluice.faults.wire.LinkConditions.LinkDirection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A TCP proxy that delays, throttles, blocks or cuts connections according to its
/// [LinkConditions]. Thread-safe.
public final class TcpFaultProxy implements AutoCloseable {

    private static final int MAX_PENDING_CHUNKS = 64;

    private final ServerSocket listening;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /// Written only while `lock` is held.
    private volatile LinkConditions conditions = LinkConditions.UNIMPAIRED;

    /// Some bytes in transit. An empty chunk marks the end of the stream.
    private record PendingChunk(ByteBuffer bytes, long sentAt) {}

    private TcpFaultProxy(ServerSocket listening, int port) {
        this.listening = listening;
        this.port = port;
    }

    /// Returns a proxy that forwards connections to this port on this machine.
    public static TcpFaultProxy inFrontOf(int port) {
        return unchecked(() -> {
            var proxy =
                    new TcpFaultProxy(
                            new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), port);
            Thread.ofVirtual().start(proxy::accept);
            return proxy;
        });
    }

    public int port() {
        return listening.getLocalPort();
    }

    /// Sets the conditions for new connections and for those that are already open.
    public void setConditions(LinkConditions next) {
        lock.lock();
        try {
            conditions = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Resets all open connections.
    public void reset() {
        sockets.forEach(TcpFaultProxy::reset);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                sockets.add(client);
                Thread.ofVirtual().start(() -> connect(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        try (client;
                var server = new Socket()) {
            await(LinkDirection.TO_SERVER);
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(server);
            try {
                var back =
                        Thread.ofVirtual()
                                .start(() -> forward(server, client, LinkDirection.TO_CLIENT));
                forward(client, server, LinkDirection.TO_SERVER);
                back.join();
            } finally {
                sockets.remove(server);
            }
        } catch (IOException refused) {
            reset(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.remove(client);
        }
    }

    /// Forwards data until one of the two sockets is closed, then closes both.
    private void forward(Socket from, Socket to, LinkDirection direction) {
        var underWay = new LinkedBlockingQueue<PendingChunk>(MAX_PENDING_CHUNKS);
        var writing = Thread.ofVirtual().start(() -> writeDelayed(underWay, to, direction));
        byte[] buffer = new byte[16 * 1024];
        long passed = 0;
        try {
            int count = from.getInputStream().read(buffer);
            while (count >= 0 && writing.isAlive()) {
                underWay.put(
                        new PendingChunk(
                                ByteBuffer.wrap(Arrays.copyOf(buffer, count)), System.nanoTime()));
                passed += count;
                long limit = conditions.cutAfter();
                if (direction == LinkDirection.TO_SERVER && limit > 0 && passed >= limit) {
                    reset(from);
                    reset(to);
                }
                count = from.getInputStream().read(buffer);
            }
            underWay.put(new PendingChunk(ByteBuffer.allocate(0), System.nanoTime()));
            writing.join();
        } catch (IOException broken) {
            writing.interrupt();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private void writeDelayed(
            BlockingQueue<PendingChunk> underWay, Socket to, LinkDirection direction) {
        try {
            for (PendingChunk chunk = underWay.take();
                    chunk.bytes().hasRemaining();
                    chunk = underWay.take()) {
                LinkConditions now = conditions;
                pause(chunk.sentAt() + now.delay().toNanos() - System.nanoTime());
                if (now.bytesPerSecond() > 0) {
                    pause(chunk.bytes().remaining() * 1_000_000_000L / now.bytesPerSecond());
                }
                await(direction);
                to.getOutputStream().write(chunk.bytes().array());
            }
        } catch (IOException broken) {
            // The thread that reads in this direction stops when it sees that this thread has
            // ended.
            closeQuietly(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(LinkDirection direction) throws InterruptedException {
        lock.lock();
        try {
            while (conditions.blocked().contains(direction)) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void pause(long nanos) throws InterruptedException {
        if (nanos > 0) {
            Thread.sleep(Duration.ofNanos(nanos));
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException gone) {
            // The socket is already broken. It is closed below.
        }
        closeQuietly(socket);
    }

    @Override
    public void close() {
        uncheckedRun(() -> listening.close());
        setConditions(LinkConditions.UNIMPAIRED);
        reset();
    }
}
