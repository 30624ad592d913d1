package dev.sluice.bench.sink;

import dev.sluice.bench.platform.Inbox;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/// One connection to the sink. Belongs to the sink's thread.
final class Arrival {

    private final SelectionKey key;
    private final boolean isControl;
    private final Inbox inbox = new Inbox();
    private long firstByte;

    Arrival(SelectionKey key, boolean isControl) {
        this.key = key;
        this.isControl = isControl;
    }

    boolean isControl() {
        return isControl;
    }

    Inbox inbox() {
        return inbox;
    }

    /// When the first byte of the request at the front was seen.
    long firstByte() {
        return firstByte;
    }

    /// False when the other side has closed.
    boolean read() throws IOException {
        if (inbox.isEmpty()) {
            firstByte = System.nanoTime();
        }
        return inbox.fill(channel()) >= 0;
    }

    /// Answers are far shorter than a socket's buffer, so one that does not fit means that nobody
    /// reads.
    void write(byte[] answer) {
        var bytes = ByteBuffer.wrap(answer);
        try {
            channel().write(bytes);
            if (bytes.hasRemaining()) {
                close();
            }
        } catch (IOException gone) {
            close();
        }
    }

    /// Ends the connection so that the other side sees a reset.
    void reset() {
        try {
            channel().setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException gone) {
            // Closed below as well.
        }
        close();
    }

    void close() {
        key.cancel();
        try {
            channel().close();
        } catch (IOException broken) {
            // It was being given up anyway.
            return;
        }
    }

    private SocketChannel channel() {
        return (SocketChannel) key.channel();
    }
}
