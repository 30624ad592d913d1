package dev.sluice.engine.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

import dev.sluice.engine.Payload;
import dev.sluice.engine.PayloadDecoder;
import dev.sluice.engine.UnreadablePayloadException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Decompresses the frames that a [FrameCompressor] made, and detects damage.
///
/// A decompressor reuses its native context and buffer, so only one thread at a time may use it
/// (see [CodecPool]).
final class FrameDecompressor implements Codec {

    /// Content of up to this size is decoded completely, even if only its beginning is needed.
    private static final int MAX_SMALL_BYTES = 64 << 10;

    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private final ReusedBuffer content = new ReusedBuffer();

    /// Decompresses a frame and returns its payload.
    ///
    /// @param dictionary null for a frame without one
    /// @throws UnreadablePayloadException if the frame is damaged, or was compressed with another
    ///   dictionary
    Payload decompress(byte[] frame, @Nullable ZstdDictDecompress dictionary) {
        long size = frame.length == 0 ? 0 : Zstd.getFrameContentSize(frame);
        if (size < FrameContent.LENGTH_BYTES
                || size > FrameContent.MAX_PAYLOAD_BYTES + FrameContent.LENGTH_BYTES) {
            throw new UnreadablePayloadException("The compressed payload has no valid length.");
        }
        byte[] target = content.ofSize((int) size);
        int written;
        try {
            written = decompress(frame, target, (int) size, dictionary);
        } catch (ZstdException e) {
            if (e.getErrorCode() == Zstd.errMemoryAllocation()) {
                throw e;
            }
            throw new UnreadablePayloadException("The compressed payload is damaged.", e);
        }
        if (written != size) {
            throw new UnreadablePayloadException("The compressed payload has a wrong length.");
        }
        return FrameContent.read(target, written);
    }

    /// Decompresses the frame into `target` and returns the number of bytes written. Unloads the
    /// dictionary afterwards, because a dictionary cannot be freed while a context has it loaded.
    private int decompress(
            byte[] frame, byte[] target, int size, @Nullable ZstdDictDecompress dictionary) {
        if (dictionary == null) {
            return context.decompressByteArray(target, 0, size, frame, 0, frame.length);
        }
        context.loadDict(dictionary);
        try {
            return context.decompressByteArray(target, 0, size, frame, 0, frame.length);
        } finally {
            context.loadDict((ZstdDictDecompress) null);
        }
    }

    /// Whether these bytes are a complete frame whose content is small.
    ///
    /// @param source a frame, cut off after [PayloadDecoder#BEGINNING_BYTES] bytes if it is longer
    static boolean isWholeAndSmall(byte[] source) {
        return source.length < PayloadDecoder.BEGINNING_BYTES
                && Zstd.getFrameContentSize(source) <= MAX_SMALL_BYTES;
    }

    /// Returns a payload that contains only the first `headerBytes` bytes of the header lines and
    /// the first `bodyBytes` bytes of the body, or all of them if there are fewer.
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

    @Override
    public void close() {
        context.close();
    }
}
