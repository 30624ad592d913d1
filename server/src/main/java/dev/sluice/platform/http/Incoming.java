package dev.sluice.platform.http;

import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpChannel;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The bytes of one request's body, in pieces. Each wait for the next piece has an end, whatever
/// else the sender keeps sending: chunk extensions and trailers are bytes, but none of the body.
///
/// Owned by the thread that answers the request.
final class Incoming {

    /// What is dropped without waiting, so that a refused request does not cost its connection.
    private static final int MOST_SKIPPED = 64 * 1024;

    private final org.eclipse.jetty.server.Request jetty;
    private boolean ended;

    /// A piece that was found there and is not yet taken.
    private Content.@Nullable Chunk here;

    Incoming(org.eclipse.jetty.server.Request jetty) {
        this.jetty = jetty;
    }

    /// Whether the next piece, or the end, is there without a wait. To be followed by `next` when
    /// it is.
    boolean isHere() {
        if (ended || here != null) {
            return true;
        }
        here = jetty.read();
        return here != null;
    }

    /// The next piece, which the caller releases, or null at the end.
    ///
    /// @param until on the clock of `System.nanoTime`
    /// @throws IOException with a `TimeoutException` as its cause when nothing came by then
    Content.@Nullable Chunk next(long until) throws IOException {
        while (!ended) {
            Content.@Nullable Chunk chunk = read();
            if (chunk == null) {
                await(until);
                continue;
            }
            if (Content.Chunk.isFailure(chunk)) {
                throw new IOException(chunk.getFailure());
            }
            ended = chunk.isLast();
            if (chunk.hasRemaining()) {
                return chunk;
            }
            chunk.release();
        }
        return null;
    }

    private Content.@Nullable Chunk read() {
        Content.@Nullable Chunk chunk = here;
        here = null;
        return chunk == null ? jetty.read() : chunk;
    }

    /// Drops what has arrived; true when nothing more will.
    boolean isSkipped() {
        for (int skipped = 0; !ended && skipped < MOST_SKIPPED; ) {
            Content.@Nullable Chunk chunk = read();
            if (chunk == null) {
                return false;
            }
            ended = chunk.isLast() || Content.Chunk.isFailure(chunk);
            skipped += chunk.remaining();
            chunk.release();
        }
        return ended;
    }

    private void await(long until) throws IOException {
        var there = new Semaphore(0);
        jetty.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, there::release));
        try {
            if (!there.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                giveUp();
                there.acquire();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a body was read");
        }
    }

    /// As when the connection's idle time-out ends the wait: the next read fails, and the answer
    /// can still be sent.
    private void giveUp() {
        var late = new TimeoutException("The body comes too slowly.");
        @Nullable Runnable task = HttpChannel.from(jetty).onIdleTimeout(late).action();
        if (task != null) {
            task.run();
        }
    }
}
