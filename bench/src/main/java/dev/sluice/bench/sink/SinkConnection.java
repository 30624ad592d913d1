package dev.sluice.bench.sink;

import static dev.sluice.bench.platform.UncheckedCalls.closeQuietly;

import dev.sluice.bench.platform.HttpMessageReader;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/// A connection to the sink. Used only by the sink's thread.
final class SinkConnection {

    private final SelectionKey key;
    private final boolean isControl;
    private final HttpMessageReader reader = new HttpMessageReader();
    private long firstByteNanos;

    SinkConnection(SelectionKey key, boolean isControl) {
        this.key = key;
        this.isControl = isControl;
    }

    boolean isControl() {
        return isControl;
    }

    HttpMessageReader reader() {
        return reader;
    }

    /// Returns the time when the first byte of the current request arrived.
    long firstByteNanos() {
        return firstByteNanos;
    }

    /// Reads from the connection. Returns false if the other side has closed it.
    boolean read() throws IOException {
        if (reader.isEmpty()) {
            firstByteNanos = System.nanoTime();
        }
        return reader.fill(channel()) >= 0;
    }

    /// Writes a response. Closes the connection if the response does not fit into the socket's
    /// buffer. Responses are far smaller than the buffer, so this happens only if the other side is
    /// not reading.
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
            // The connection is closed below either way.
        }
        close();
    }

    void close() {
        key.cancel();
        closeQuietly(channel());
    }

    private SocketChannel channel() {
        return (SocketChannel) key.channel();
    }
}
