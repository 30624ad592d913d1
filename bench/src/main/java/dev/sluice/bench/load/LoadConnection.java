package dev.sluice.bench.load;

import static dev.sluice.bench.platform.UncheckedCalls.closeQuietly;

import dev.sluice.bench.platform.HttpMessageReader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/// A keep-alive connection to the relay that carries at most one request at a time. Used only by
/// the generator's thread.
final class LoadConnection {

    enum LoadConnectionState {
        CLOSED,
        CONNECTING,
        IDLE,
        BUSY
    }

    private final Selector selector;
    private final InetSocketAddress address;
    private final HttpMessageReader reader = new HttpMessageReader();
    private final ByteBuffer out;
    private @Nullable SelectionKey key;

    private LoadConnectionState state = LoadConnectionState.CLOSED;
    private String marker = "";
    private long dueAt;
    private long sentAt;
    private long idleSince;

    LoadConnection(Selector selector, InetSocketAddress address, int requestSize) {
        this.selector = selector;
        this.address = address;
        this.out = ByteBuffer.allocateDirect(requestSize);
    }

    LoadConnectionState state() {
        return state;
    }

    /// Returns the marker of the current request, or an empty string if the generator keeps no
    /// ledger.
    String marker() {
        return marker;
    }

    long dueAt() {
        return dueAt;
    }

    long sentAt() {
        return sentAt;
    }

    /// Returns the time when the connection last became idle.
    long idleSince() {
        return idleSince;
    }

    /// Starts connecting. Throws if the relay refuses the connection immediately.
    void open() throws IOException {
        var channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        key = channel.register(selector, SelectionKey.OP_CONNECT, this);
        state = LoadConnectionState.CONNECTING;
        reader.clear();
        if (channel.connect(address)) {
            connected(channel);
        }
    }

    /// Finishes connecting if possible. Returns whether the connection is open.
    boolean finishOpening() throws IOException {
        var channel = channel();
        if (!channel.finishConnect()) {
            return false;
        }
        connected(channel);
        return true;
    }

    void send(byte[] request, String marker, long due, long now) throws IOException {
        this.marker = marker;
        this.dueAt = due;
        this.sentAt = now;
        state = LoadConnectionState.BUSY;
        out.clear();
        out.put(request).flip();
        flush();
    }

    /// Writes as much of the request as the socket accepts. If part of it remains, call this again
    /// when the socket is writable.
    void flush() throws IOException {
        channel().write(out);
        int interest =
                out.hasRemaining()
                        ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                        : SelectionKey.OP_READ;
        var standing = key;
        if (standing != null && standing.interestOps() != interest) {
            standing.interestOps(interest);
        }
    }

    /// Reads from the connection. Returns true if the response is complete and available from
    /// [#response()]. Throws if the relay closed the connection, or if it sent bytes although no
    /// request was pending.
    boolean read() throws IOException {
        if (reader.fill(channel()) < 0 || state != LoadConnectionState.BUSY) {
            throw new IOException("the connection is over");
        }
        return reader.isComplete();
    }

    HttpMessageReader response() {
        return reader;
    }

    /// Discards the response that was read. The connection is then idle again, or closed if the
    /// relay asked for it to be closed.
    void finishExchange() {
        boolean closing = reader.header("connection").filter("close"::equalsIgnoreCase).isPresent();
        reader.discardMessage();
        state = LoadConnectionState.IDLE;
        idleSince = System.nanoTime();
        if (closing) {
            close();
        }
    }

    void close() {
        state = LoadConnectionState.CLOSED;
        var standing = key;
        key = null;
        if (standing != null) {
            standing.cancel();
            closeQuietly(standing.channel());
        }
    }

    private void connected(SocketChannel channel) {
        state = LoadConnectionState.IDLE;
        idleSince = System.nanoTime();
        channel.keyFor(selector).interestOps(SelectionKey.OP_READ);
    }

    private SocketChannel channel() throws IOException {
        var standing = key;
        if (standing == null) {
            throw new IOException("the connection is closed");
        }
        return (SocketChannel) standing.channel();
    }
}
