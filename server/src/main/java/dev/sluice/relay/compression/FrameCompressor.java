package dev.sluice.relay.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictCompress;

import dev.sluice.relay.Payload;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Optional;

/// Compresses payloads to zstd frames. A frame contains a [FrameContent] and ends with a checksum.
///
/// Reuses its native contexts and its buffers. Used by one thread at a time; see [CodecPool].
final class FrameCompressor implements Codec {

    /// The library's level, for all sizes. Higher levels make frames with a dictionary no smaller,
    /// and take longer: 1 KB of JSON takes 2.9 µs at level 1 and 3.7 µs at level 3.
    static final int LEVEL = 1;

    /// A frame without a dictionary refers back by at most 32 KiB. Each of its blocks then has at
    /// most as many bytes, so that the beginning of a large body can be decoded alone.
    private static final int WINDOW_LOG = 15;

    private final ZstdCompressCtx context = newContext().setWindowLog(WINDOW_LOG);
    private final ZstdCompressCtx dictionaryContext = newContext();
    private final ReusedBuffer content = new ReusedBuffer();
    private final ReusedBuffer frame = new ReusedBuffer();

    /// The frame names no dictionary, because the row of the event does.
    private static ZstdCompressCtx newContext() {
        return new ZstdCompressCtx().setLevel(LEVEL).setChecksum(true).setDictID(false);
    }

    /// Returns the frame; empty if it would be larger than `maxBytes`.
    ///
    /// @param dictionary null to compress without one
    Optional<byte[]> compress(
            Payload payload, @Nullable ZstdDictCompress dictionary, int maxBytes) {
        int size = FrameContent.size(payload);
        byte[] source = content.ofSize(size);
        FrameContent.write(payload, source);
        byte[] target = frame.ofSize(Math.toIntExact(Zstd.compressBound(size)));
        int written = compress(source, size, target, dictionary);
        return written <= maxBytes ? Optional.of(Arrays.copyOf(target, written)) : Optional.empty();
    }

    /// Unloads the dictionary after its use: while a context has it loaded, it cannot be freed.
    private int compress(
            byte[] source, int size, byte[] target, @Nullable ZstdDictCompress dictionary) {
        if (dictionary == null) {
            return context.compressByteArray(target, 0, target.length, source, 0, size);
        }
        dictionaryContext.loadDict(dictionary);
        try {
            return dictionaryContext.compressByteArray(target, 0, target.length, source, 0, size);
        } finally {
            dictionaryContext.loadDict((ZstdDictCompress) null);
        }
    }

    @Override
    public void close() {
        context.close();
        dictionaryContext.close();
    }
}
