package dev.sluice.relay.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import dev.sluice.relay.Payload;
import dev.sluice.relay.UnreadablePayloadException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/// Turns payloads into zstd frames and back. The frame contains the length of the header lines
/// (four bytes, the highest first), the header lines and the body, and ends with a checksum.
///
/// Reuses its native contexts and its buffers. Used by one thread at a time; see [FrameCodecPool].
final class FrameCodec implements AutoCloseable {

    /// The library's level, for all sizes. Higher levels make frames with a dictionary no smaller,
    /// and take longer: 1 KB of JSON takes 2.9 µs at level 1 and 3.7 µs at level 3.
    static final int LEVEL = 1;

    /// The size of the length of the header lines.
    private static final int LENGTH_BYTES = 4;

    /// The largest payload that is compressed, in bytes of header lines and body: a body of the
    /// maximum size, and twice the header lines that the HTTP server accepts.
    static final int MAX_PAYLOAD_BYTES = Payload.MAX_BODY_BYTES + (64 << 10);

    /// A frame without a dictionary refers back by at most 32 KiB. Each of its blocks then has at
    /// most as many bytes, so that the beginning of a large body can be decoded alone.
    private static final int WINDOW_LOG = 15;

    /// Buffers that are larger are not kept.
    private static final int MAX_KEPT_BUFFER_BYTES = 64 << 10;

    private final ZstdCompressCtx compressor = newCompressor().setWindowLog(WINDOW_LOG);
    private final ZstdCompressCtx dictionaryCompressor = newCompressor();
    private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();
    private final ZstdDecompressCtx dictionaryDecompressor = new ZstdDecompressCtx();
    private byte[] content = new byte[4096];
    private byte[] frame = new byte[4096];

    /// The frame names no dictionary, because the row of the event does.
    private static ZstdCompressCtx newCompressor() {
        return new ZstdCompressCtx().setLevel(LEVEL).setChecksum(true).setDictID(false);
    }

    /// Returns the frame; empty if it would be larger than `maxBytes`.
    ///
    /// @param dictionary null to compress without one
    Optional<byte[]> compress(
            Payload payload, @Nullable ZstdDictCompress dictionary, int maxBytes) {
        int size = contentBytes(payload);
        byte[] source = contentBuffer(size);
        write(payload, source);
        byte[] target = frameBuffer(Math.toIntExact(Zstd.compressBound(size)));
        int written = compress(source, size, target, dictionary);
        return written <= maxBytes ? Optional.of(Arrays.copyOf(target, written)) : Optional.empty();
    }

    /// Unloads the dictionary after its use: while a context has it loaded, it cannot be freed.
    private int compress(
            byte[] source, int size, byte[] target, @Nullable ZstdDictCompress dictionary) {
        if (dictionary == null) {
            return compressor.compressByteArray(target, 0, target.length, source, 0, size);
        }
        dictionaryCompressor.loadDict(dictionary);
        try {
            return dictionaryCompressor.compressByteArray(
                    target, 0, target.length, source, 0, size);
        } finally {
            dictionaryCompressor.loadDict((ZstdDictCompress) null);
        }
    }

    /// Returns what the frame of this payload contains.
    static byte[] content(Payload payload) {
        byte[] content = new byte[contentBytes(payload)];
        write(payload, content);
        return content;
    }

    private static int contentBytes(Payload payload) {
        return LENGTH_BYTES + payload.headerLines().length + payload.body().length;
    }

    private static void write(Payload payload, byte[] target) {
        byte[] headers = payload.headerLines();
        ByteBuffer.wrap(target).putInt(headers.length).put(headers).put(payload.body());
    }

    /// Returns the payload of a frame.
    ///
    /// @param dictionary null for a frame without one
    /// @throws UnreadablePayloadException if the frame is damaged, or was made with another
    ///   dictionary
    Payload decompress(byte[] source, @Nullable ZstdDictDecompress dictionary) {
        long size = source.length == 0 ? 0 : Zstd.getFrameContentSize(source);
        if (size < LENGTH_BYTES || size > MAX_PAYLOAD_BYTES + LENGTH_BYTES) {
            throw new UnreadablePayloadException("The compressed payload has no valid length.");
        }
        byte[] target = contentBuffer((int) size);
        int written;
        try {
            written = decompress(source, target, (int) size, dictionary);
        } catch (ZstdException e) {
            if (e.getErrorCode() == Zstd.errMemoryAllocation()) {
                throw e;
            }
            throw new UnreadablePayloadException("The compressed payload is damaged.", e);
        }
        int headers = ByteBuffer.wrap(target).getInt();
        int bodyAt = LENGTH_BYTES + headers;
        if (written != size || headers < 0 || bodyAt > size) {
            throw new UnreadablePayloadException("The compressed payload has wrong lengths.");
        }
        return Payload.fromStored(
                Arrays.copyOfRange(target, LENGTH_BYTES, bodyAt),
                Arrays.copyOfRange(target, bodyAt, written));
    }

    private int decompress(
            byte[] source, byte[] target, int size, @Nullable ZstdDictDecompress dictionary) {
        if (dictionary == null) {
            return decompressor.decompressByteArray(target, 0, size, source, 0, source.length);
        }
        dictionaryDecompressor.loadDict(dictionary);
        try {
            return dictionaryDecompressor.decompressByteArray(
                    target, 0, size, source, 0, source.length);
        } finally {
            dictionaryDecompressor.loadDict((ZstdDictDecompress) null);
        }
    }

    /// Returns a payload with the beginnings of the header lines and of the body.
    ///
    /// @param source the beginning of a frame without a dictionary
    /// @throws UnreadablePayloadException if the frame is damaged, or ends too early
    static Payload beginning(byte[] source, int headerBytes, int bodyBytes) {
        try (var content =
                new DataInputStream(
                        new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(source)))) {
            int headers = content.readInt();
            if (headers < 0) {
                throw new UnreadablePayloadException("The compressed payload has wrong lengths.");
            }
            byte[] lines = content.readNBytes(Math.min(headers, headerBytes));
            content.skipNBytes(headers - lines.length);
            return Payload.fromStored(lines, content.readNBytes(bodyBytes));
        } catch (IOException e) {
            throw new UnreadablePayloadException(
                    "The compressed payload is damaged.", new UncheckedIOException(e));
        }
    }

    /// Frees the contexts. The codec must not be used afterwards.
    @Override
    public void close() {
        compressor.close();
        dictionaryCompressor.close();
        decompressor.close();
        dictionaryDecompressor.close();
    }

    private byte[] contentBuffer(int size) {
        if (size > content.length) {
            byte[] larger = new byte[size];
            if (size > MAX_KEPT_BUFFER_BYTES) {
                return larger;
            }
            content = larger;
        }
        return content;
    }

    private byte[] frameBuffer(int size) {
        if (size > frame.length) {
            byte[] larger = new byte[size];
            if (size > MAX_KEPT_BUFFER_BYTES) {
                return larger;
            }
            frame = larger;
        }
        return frame;
    }
}
