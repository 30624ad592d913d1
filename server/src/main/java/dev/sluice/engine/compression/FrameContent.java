package dev.sluice.engine.compression;

import dev.sluice.engine.Payload;
import dev.sluice.engine.UnreadablePayloadException;

import java.nio.ByteBuffer;
import java.util.Arrays;

/// The content of a frame: the length of the header lines (four bytes, big-endian), then the header
/// lines, then the body.
final class FrameContent {

    /// The size, in bytes, of the field that contains the length of the header lines.
    static final int LENGTH_BYTES = 4;

    /// The maximum size, in bytes, of a payload that is compressed, counting its header lines and
    /// body. It leaves room for a body of the maximum size and for twice as many header bytes as
    /// the HTTP server accepts.
    static final int MAX_PAYLOAD_BYTES = Payload.MAX_BODY_BYTES + (64 << 10);

    private FrameContent() {}

    static int size(Payload payload) {
        return LENGTH_BYTES + payload.headerLines().length + payload.body().length;
    }

    static byte[] of(Payload payload) {
        byte[] content = new byte[size(payload)];
        write(payload, content);
        return content;
    }

    /// Writes the content of this payload to the beginning of `target`.
    static void write(Payload payload, byte[] target) {
        byte[] headers = payload.headerLines();
        ByteBuffer.wrap(target).putInt(headers.length).put(headers).put(payload.body());
    }

    /// Reads the payload from this content.
    ///
    /// @param size the number of bytes of `content` that are in use, at least [#LENGTH_BYTES]
    /// @throws UnreadablePayloadException if the length of the header lines is impossible
    static Payload read(byte[] content, int size) {
        int headers = ByteBuffer.wrap(content).getInt();
        if (headers < 0 || headers > size - LENGTH_BYTES) {
            throw new UnreadablePayloadException("The compressed payload has wrong lengths.");
        }
        int bodyAt = LENGTH_BYTES + headers;
        return Payload.fromStored(
                Arrays.copyOfRange(content, LENGTH_BYTES, bodyAt),
                Arrays.copyOfRange(content, bodyAt, size));
    }
}
