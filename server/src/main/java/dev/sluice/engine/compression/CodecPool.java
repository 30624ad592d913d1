package dev.sluice.engine.compression;

import dev.sluice.engine.UnreadablePayloadException;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;

/// A pool of codecs that threads share, with at most one codec for each processor. A codec occupies
/// a processor while it works, so more codecs would only use more memory. Thread-safe.
///
/// @param <C> the kind of codec
final class CodecPool<C extends Codec> {

    private final Supplier<C> maker;
    private final Semaphore permits = new Semaphore(Runtime.getRuntime().availableProcessors());

    /// The idle codecs, most recently used first. A new codec is made only if none is idle.
    private final ConcurrentLinkedDeque<C> idle = new ConcurrentLinkedDeque<>();

    CodecPool(Supplier<C> maker) {
        this.maker = maker;
    }

    /// Calls `work` with a codec. If `work` fails for any reason other than a damaged payload,
    /// frees the codec, because its state is then unknown.
    <T> T use(Function<C, T> work) {
        permits.acquireUninterruptibly();
        try {
            var reused = idle.pollFirst();
            var codec = reused == null ? maker.get() : reused;
            boolean isSound = false;
            try {
                T result = work.apply(codec);
                isSound = true;
                return result;
            } catch (UnreadablePayloadException e) {
                isSound = true;
                throw e;
            } finally {
                if (isSound) {
                    idle.addFirst(codec);
                } else {
                    codec.close();
                }
            }
        } finally {
            permits.release();
        }
    }
}
