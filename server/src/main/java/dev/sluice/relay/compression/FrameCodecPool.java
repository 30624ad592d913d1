package dev.sluice.relay.compression;

import dev.sluice.relay.UnreadablePayloadException;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/// A bounded number of codecs, which threads share. A call of the library blocks its carrier
/// thread, so more codecs than twice the processors would only take memory. Thread-safe.
final class FrameCodecPool {

    private final Semaphore permits = new Semaphore(2 * Runtime.getRuntime().availableProcessors());

    /// The codec that was used last comes first, so that few are made.
    private final ConcurrentLinkedDeque<FrameCodec> idle = new ConcurrentLinkedDeque<>();

    <T> T use(Function<FrameCodec, T> work) {
        permits.acquireUninterruptibly();
        try {
            var reused = idle.pollFirst();
            var codec = reused == null ? new FrameCodec() : reused;
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
