package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/// A TCP connection over which a test sends well-formed or malformed HTTP as raw bytes.
public final class RawHttpConnection implements AutoCloseable {

    private final Socket socket;

    private RawHttpConnection(Socket socket) {
        this.socket = socket;
    }

    public static RawHttpConnection open(int port) {
        try {
            var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
            socket.setSoTimeout(60_000);
            socket.setTcpNoDelay(true);
            return new RawHttpConnection(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sends these bytes, one per character. Returns false when the other side has closed the
    /// connection.
    public boolean send(String bytes) {
        try {
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Closes the sending half of the connection and keeps the receiving half open.
    public void finish() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads the next response.
    public RawHttp.RawHttpResponse read() {
        try {
            return RawHttp.read(socket.getInputStream(), false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns whether unread bytes have arrived.
    public boolean hasMore() {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            return true;
        }
    }

    /// Waits for the next byte. Returns true when the other side closed or reset the connection
    /// instead.
    public boolean isClosed() {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /// Closes the connection with a TCP reset.
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
