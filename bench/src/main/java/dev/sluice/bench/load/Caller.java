package dev.sluice.bench.load;

import dev.sluice.bench.platform.Inbox;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/// One kept connection to the relay, with at most one request on it. Belongs to the generator's
/// thread.
final class Caller {

    enum State {
        CLOSED,
        CONNECTING,
        IDLE,
        BUSY
    }

    private final Selector selector;
    private final InetSocketAddress address;
    private final Inbox inbox = new Inbox();
    private final ByteBuffer out;
    private @Nullable SelectionKey key;

    private State state = State.CLOSED;
    private String marker = "";
    private long due;
    private long sent;
    private long idleSince;

    Caller(Selector selector, InetSocketAddress address, int requestSize) {
        this.selector = selector;
        this.address = address;
        this.out = ByteBuffer.allocateDirect(requestSize);
    }

    State state() {
        return state;
    }

    /// The request under way: its marker (kept only for a ledger), when it was due, when it left.
    String marker() {
        return marker;
    }

    long due() {
        return due;
    }

    long sent() {
        return sent;
    }

    /// Since when the connection lies idle, or lay so last.
    long idleSince() {
        return idleSince;
    }

    /// Begins to connect. Throws when the relay refuses at once.
    void open() throws IOException {
        var channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        key = channel.register(selector, SelectionKey.OP_CONNECT, this);
        state = State.CONNECTING;
        inbox.clear();
        if (channel.connect(address)) {
            connected(channel);
        }
    }

    /// True once the connection stands.
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
        this.due = due;
        this.sent = now;
        state = State.BUSY;
        out.clear();
        out.put(request).flip();
        flush();
    }

    /// Writes what is left of the request; asks to be called again when the socket is full.
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

    /// Reads; true when the answer is whole and can be asked of [#answer()]. Throws when the relay
    /// closed the connection, or said something nobody had asked for.
    boolean read() throws IOException {
        if (inbox.fill(channel()) < 0 || state != State.BUSY) {
            throw new IOException("the connection is over");
        }
        return inbox.isComplete();
    }

    Inbox answer() {
        return inbox;
    }

    /// Takes the answer off the connection, which is free again, or closed where the relay asked.
    void answered() {
        boolean closing = inbox.header("connection").filter("close"::equalsIgnoreCase).isPresent();
        inbox.next();
        state = State.IDLE;
        idleSince = System.nanoTime();
        if (closing) {
            close();
        }
    }

    void close() {
        state = State.CLOSED;
        var standing = key;
        key = null;
        if (standing != null) {
            try {
                standing.cancel();
                standing.channel().close();
            } catch (IOException broken) {
                // It was being given up anyway.
                return;
            }
        }
    }

    private void connected(SocketChannel channel) {
        state = State.IDLE;
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
