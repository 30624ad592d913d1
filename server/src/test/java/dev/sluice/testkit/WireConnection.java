package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/// A connection that speaks HTTP by the byte, well or badly.
public final class WireConnection implements AutoCloseable {

    private final Socket socket;

    private WireConnection(Socket socket) {
        this.socket = socket;
    }

    public static WireConnection open(int port) {
        try {
            var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
            socket.setSoTimeout(60_000);
            socket.setTcpNoDelay(true);
            return new WireConnection(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sends these bytes, one for each character; false when the other side has closed.
    public boolean send(String bytes) {
        try {
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Says that nothing more will be sent, and goes on listening.
    public void finish() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The next answer.
    public Wire.Answer read() {
        try {
            return Wire.read(socket.getInputStream(), false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether bytes have come that were not read.
    public boolean hasMore() {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            return true;
        }
    }

    /// Waits for more; true when the other side closed or reset the connection instead.
    public boolean isClosed() {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /// Breaks the connection off with a reset.
    public void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
