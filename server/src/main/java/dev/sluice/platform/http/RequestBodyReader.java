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

/// Reads the body of one request in pieces, each with a deadline.
///
/// Only body bytes count as progress. Jetty's own idle timeout also counts chunk extensions and
/// trailers, so a sender could use them to hold a request open forever.
///
/// Used only by the thread that handles the request, except where noted.
final class RequestBodyReader {

    /// The maximum number of bytes that `skipArrived` reads. If the body of a refused request ends
    /// within this limit, the connection stays open.
    private static final int MAX_SKIPPED_BYTES = 64 * 1024;

    /// Thrown by `next` after another thread has called `cancel`.
    static final class CancelledBodyException extends IOException {

        CancelledBodyException() {
            super("the server no longer waits for this body");
        }
    }

    private final org.eclipse.jetty.server.Request jetty;
    private boolean ended;

    /// The piece of the body that `isAvailable` has read and `next` has not yet returned.
    private Content.@Nullable Chunk pending;

    private final Semaphore wakes = new Semaphore(0);

    /// Whether `await` has asked Jetty to call back and Jetty has not done so yet. Nothing may be
    /// read while this is true.
    private volatile boolean isDemanding;

    private volatile boolean isCancelled;

    RequestBodyReader(org.eclipse.jetty.server.Request jetty) {
        this.jetty = jetty;
    }

    /// Whether `next` would return without waiting. If this returns true, the caller must call
    /// `next` to get the piece, because the piece might have been read already.
    boolean isAvailable() {
        if (ended || pending != null) {
            return true;
        }
        pending = jetty.read();
        return pending != null;
    }

    /// Returns the next piece of the body, or null at its end. The caller must release the piece.
    ///
    /// @param until the deadline, as a `System.nanoTime` value
    /// @throws CancelledBodyException if `cancel` has been called; only the first call after that
    ///   throws it
    /// @throws IOException caused by a `TimeoutException` when nothing arrived before the deadline
    Content.@Nullable Chunk next(long until) throws IOException {
        while (!ended) {
            if (isCancelled) {
                isCancelled = false;
                throw new CancelledBodyException();
            }
            Content.@Nullable Chunk chunk = isDemanding ? null : read();
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
        Content.@Nullable Chunk chunk = pending;
        pending = null;
        return chunk == null ? jetty.read() : chunk;
    }

    /// Reads and discards the part of the body that has already arrived, up to a limit. Returns
    /// true if the end of the body was reached or reading failed.
    boolean skipArrived() {
        for (int skipped = 0; !ended && !isDemanding && skipped < MAX_SKIPPED_BYTES; ) {
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

    /// Makes the thread that is waiting for this body stop waiting. May be called by any thread.
    void cancel() {
        isCancelled = true;
        wakes.release();
    }

    /// Waits until something arrives, the body is cancelled, or the deadline passes. May also
    /// return early.
    private void await(long until) throws IOException {
        if (!isDemanding) {
            isDemanding = true;
            jetty.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, this::arrived));
        }
        try {
            if (!wakes.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                failWithTimeout();
                wakes.acquire();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading a body");
        }
    }

    private void arrived() {
        isDemanding = false;
        wakes.release();
    }

    /// Makes the next read fail as if Jetty's idle timeout had expired. The reply can still be
    /// sent.
    private void failWithTimeout() {
        var late = new TimeoutException("the body arrives too slowly");
        @Nullable Runnable task = HttpChannel.from(jetty).onIdleTimeout(late).action();
        if (task != null) {
            task.run();
        }
    }
}
