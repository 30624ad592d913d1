package dev.sluice.platform.http;

import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/// The body of one reply that is written in pieces. Written bytes are sent immediately. Not
/// thread-safe.
public final class StreamOutput {

    /// How often a blocked write calls `isWanted`.
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    /// The maximum size of a piece. It is small enough that even a slow client reads a piece within
    /// the write timeout, so the timeout ends only streams whose client reads almost nothing.
    private static final int MAX_PIECE_BYTES = 64 * 1024;

    private final Response response;
    private final EndPoint endPoint;
    private final Duration writeTimeout;
    private final Optional<AnswerMemory.AnswerReservation> memory;
    private final ByteBuffer ignored = BufferUtil.allocate(1024);

    /// @param writeTimeout how long the client may take to read one piece
    /// @param memory the memory of the answer; empty if it is not counted
    StreamOutput(
            Request request,
            Response response,
            Duration writeTimeout,
            Optional<AnswerMemory.AnswerReservation> memory) {
        this.response = response;
        this.writeTimeout = writeTimeout;
        this.memory = memory;
        this.endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    }

    /// Writes a message of a stream. Returns when the socket has accepted it. The memory of a large
    /// message counts until then.
    ///
    /// @param isWanted called repeatedly while the client is not reading; if it returns false, the
    ///   stream ends
    /// @throws IOException when the client has disconnected or did not read a piece within the
    ///   write timeout, or when `isWanted` returned false
    /// @throws ApiException 503 when answers to other requests leave no memory for the message
    public void write(byte[] bytes, BooleanSupplier isWanted)
            throws IOException, InterruptedException {
        var counted = memory.filter(_ -> bytes.length > MAX_PIECE_BYTES);
        counted.ifPresent(answer -> {
            answer.growTo(bytes.length);
            answer.beginWriting(endPoint::close);
        });
        try {
            write(bytes, 0, bytes.length, isWanted);
        } finally {
            counted.ifPresent(AnswerMemory.AnswerReservation::release);
        }
    }

    private void write(byte[] bytes, int offset, int length, BooleanSupplier isWanted)
            throws IOException, InterruptedException {
        int end = offset + length;
        for (int from = offset; from < end; from += MAX_PIECE_BYTES) {
            int size = Math.min(MAX_PIECE_BYTES, end - from);
            writePiece(ByteBuffer.wrap(bytes, from, size), isWanted);
            memory.ifPresent(answer -> answer.taken(size));
        }
    }

    /// Returns a stream that collects small writes into pieces. Its `flush` sends what was
    /// collected.
    OutputStream buffered() {
        return new BufferedOutputStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        write(new byte[] {(byte) b}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        try {
                            StreamOutput.this.write(bytes, offset, length, () -> true);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                            throw new InterruptedIOException("interrupted while writing");
                        }
                    }
                },
                MAX_PIECE_BYTES);
    }

    private void writePiece(ByteBuffer piece, BooleanSupplier isWanted)
            throws IOException, InterruptedException {
        var written = new CompletableFuture<Boolean>();
        response.write(
                false,
                piece,
                Callback.from(() -> written.complete(true), written::completeExceptionally));
        long deadline = System.nanoTime() + writeTimeout.toNanos();
        while (true) {
            try {
                var _ = written.get(CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
                return;
            } catch (ExecutionException e) {
                throw new IOException("the client left", e.getCause());
            } catch (TimeoutException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw new InterruptedIOException("the client does not read");
                }
                if (!isWanted.getAsBoolean()) {
                    throw new EOFException("the stream ended while the client did not read");
                }
            }
        }
    }

    /// Whether the client has closed the connection. Any bytes that the client still sends are
    /// discarded.
    public boolean isClientGone() {
        try {
            int bytes;
            do {
                BufferUtil.clear(ignored);
                bytes = endPoint.fill(ignored);
            } while (bytes > 0);
            return bytes < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /// Closes the connection immediately, even if some bytes have not been written yet.
    void abort() {
        endPoint.close();
    }
}
