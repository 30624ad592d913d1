package dev.sluice.bench.bare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/// Encodes rows in PostgreSQL's binary COPY format.
final class BinaryCopyEncoder {

    private static final byte[] COPY_SIGNATURE = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0
    };

    private ByteBuffer bytes = ByteBuffer.allocate(64 * 1024);

    BinaryCopyEncoder() {
        bytes.put(COPY_SIGNATURE).putInt(0).putInt(0);
    }

    BinaryCopyEncoder row(int columns) {
        ensureCapacity(2).putShort((short) columns);
        return this;
    }

    BinaryCopyEncoder uuid(UUID value) {
        ensureCapacity(20)
                .putInt(16)
                .putLong(value.getMostSignificantBits())
                .putLong(value.getLeastSignificantBits());
        return this;
    }

    BinaryCopyEncoder int4(int value) {
        ensureCapacity(8).putInt(4).putInt(value);
        return this;
    }

    BinaryCopyEncoder text(String value) {
        return bytes(value.getBytes(UTF_8));
    }

    BinaryCopyEncoder bytes(byte[] value) {
        ensureCapacity(4 + value.length).putInt(value.length).put(value);
        return this;
    }

    byte[] toBytes() {
        ensureCapacity(2).putShort((short) -1);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private ByteBuffer ensureCapacity(int more) {
        if (bytes.remaining() < more) {
            int size = Math.max(2 * bytes.capacity(), bytes.position() + more);
            bytes = ByteBuffer.allocate(size).put(bytes.flip());
        }
        return bytes;
    }
}
