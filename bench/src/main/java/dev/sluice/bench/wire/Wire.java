package dev.sluice.bench.wire;

import dev.sluice.bench.wire.Weather.Direction;

import java.io.IOException;
import java.io.UncheckedIOException;
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

/// Passes on what comes to a port of its own, both ways, as the [Weather] has it. Thread-safe.
public final class Wire implements AutoCloseable {

    private static final int MOST_UNDER_WAY = 64;

    private final ServerSocket listening;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /// Written under the lock.
    private volatile Weather weather = Weather.FAIR;

    /// Some bytes on their way; none at the end of the stream.
    private record Piece(ByteBuffer bytes, long sentAt) {}

    private Wire(ServerSocket listening, int port) {
        this.listening = listening;
        this.port = port;
    }

    /// To a port of this machine.
    public static Wire to(int port) {
        try {
            var wire = new Wire(new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), port);
            Thread.ofVirtual().start(wire::accept);
            return wire;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return listening.getLocalPort();
    }

    /// From now on, for connections that stand too.
    public void change(Weather next) {
        lock.lock();
        try {
            weather = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Resets the connections that stand.
    public void reset() {
        open.forEach(Wire::reset);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> join(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void join(Socket client) {
        try (client;
                var server = new Socket()) {
            await(Direction.TO_SERVER);
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.add(server);
            try {
                var back =
                        Thread.ofVirtual().start(() -> pass(server, client, Direction.TO_CLIENT));
                pass(client, server, Direction.TO_SERVER);
                back.join();
            } finally {
                open.remove(server);
            }
        } catch (IOException refused) {
            reset(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(client);
        }
    }

    /// Until one of the two ends; then both do.
    private void pass(Socket from, Socket to, Direction direction) {
        var underWay = new LinkedBlockingQueue<Piece>(MOST_UNDER_WAY);
        var writing = Thread.ofVirtual().start(() -> write(underWay, to, direction));
        byte[] buffer = new byte[16 * 1024];
        long passed = 0;
        try {
            int count = from.getInputStream().read(buffer);
            while (count >= 0 && writing.isAlive()) {
                underWay.put(
                        new Piece(
                                ByteBuffer.wrap(Arrays.copyOf(buffer, count)), System.nanoTime()));
                passed += count;
                long limit = weather.cutAfter();
                if (direction == Direction.TO_SERVER && limit > 0 && passed >= limit) {
                    reset(from);
                    reset(to);
                }
                count = from.getInputStream().read(buffer);
            }
            underWay.put(new Piece(ByteBuffer.allocate(0), System.nanoTime()));
            writing.join();
        } catch (IOException broken) {
            writing.interrupt();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            shut(from);
            shut(to);
        }
    }

    private void write(BlockingQueue<Piece> underWay, Socket to, Direction direction) {
        try {
            for (Piece piece = underWay.take();
                    piece.bytes().hasRemaining();
                    piece = underWay.take()) {
                Weather now = weather;
                pause(piece.sentAt() + now.delay().toNanos() - System.nanoTime());
                if (now.bytesPerSecond() > 0) {
                    pause(piece.bytes().remaining() * 1_000_000_000L / now.bytesPerSecond());
                }
                await(direction);
                to.getOutputStream().write(piece.bytes().array());
            }
        } catch (IOException broken) {
            // The reader of this direction notices when it wants to hand over more.
            shut(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(Direction direction) throws InterruptedException {
        lock.lock();
        try {
            while (weather.blocked().contains(direction)) {
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
            // Closed below as well.
        }
        shut(socket);
    }

    private static void shut(Socket socket) {
        try {
            socket.close();
        } catch (IOException broken) {
            // It was being given up anyway.
            return;
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        change(Weather.FAIR);
        reset();
    }
}
