package dev.sluice.relay.compression;

import dev.sluice.relay.UnreadablePayloadException;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;

/// Codecs that threads share, at most one for each processor: a call of the library occupies a
/// processor until it ends, so more codecs would only take memory. Thread-safe.
///
/// @param <C> the kind of codec
final class CodecPool<C extends Codec> {

    private final Supplier<C> maker;
    private final Semaphore permits = new Semaphore(Runtime.getRuntime().availableProcessors());

    /// The codec that was used last comes first, so that few are made.
    private final ConcurrentLinkedDeque<C> idle = new ConcurrentLinkedDeque<>();

    CodecPool(Supplier<C> maker) {
        this.maker = maker;
    }

    /// Calls `work` with a codec. If `work` fails for another reason than a damaged payload, the
    /// codec is freed, because its state is not known then.
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
