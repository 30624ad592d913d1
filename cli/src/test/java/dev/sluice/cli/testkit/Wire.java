package dev.sluice.cli.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A wire to a port on this machine that a test can cut or freeze. Its own port stays the same.
public final class Wire implements AutoCloseable {

    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile int target;
    private volatile boolean isCut;
    private volatile boolean isFrozen;

    public Wire(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /// Ends all connections; new ones end at once.
    public void cut() {
        isCut = true;
        sockets.forEach(Wire::closeQuietly);
    }

    /// Keeps all connections open, but nothing passes any more.
    public void freeze() {
        isFrozen = true;
    }

    /// Mends the wire; what was swallowed is lost, as are the connections it was on.
    public void mend(int newTarget) {
        target = newTarget;
        sockets.forEach(Wire::closeQuietly);
        isFrozen = false;
        isCut = false;
    }

    private void accept() {
        try {
            while (true) {
                var client = listener.accept();
                if (isCut) {
                    client.close();
                } else {
                    join(client);
                }
            }
        } catch (IOException e) {
            // The wire is closed.
        }
    }

    private void join(Socket client) throws IOException {
        try {
            var server = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(client);
            sockets.add(server);
            Thread.ofVirtual().start(() -> copy(client, server));
            Thread.ofVirtual().start(() -> copy(server, client));
        } catch (IOException e) {
            client.close();
        }
    }

    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8_192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!isFrozen) {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            // One side is gone, and then so is the other.
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone.
        }
    }

    @Override
    public void close() {
        cut();
        try {
            listener.close();
        } catch (IOException e) {
            // It is gone.
        }
    }
}
