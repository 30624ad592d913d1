package dev.sluice.bench.bare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/// Rows in the binary format of PostgreSQL's COPY.
final class BinaryRows {

    private static final byte[] SIGNATURE = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0
    };

    private ByteBuffer bytes = ByteBuffer.allocate(64 * 1024);

    BinaryRows() {
        bytes.put(SIGNATURE).putInt(0).putInt(0);
    }

    BinaryRows row(int columns) {
        room(2).putShort((short) columns);
        return this;
    }

    BinaryRows uuid(UUID value) {
        room(20).putInt(16)
                .putLong(value.getMostSignificantBits())
                .putLong(value.getLeastSignificantBits());
        return this;
    }

    BinaryRows int4(int value) {
        room(8).putInt(4).putInt(value);
        return this;
    }

    BinaryRows text(String value) {
        return bytes(value.getBytes(UTF_8));
    }

    BinaryRows bytes(byte[] value) {
        room(4 + value.length).putInt(value.length).put(value);
        return this;
    }

    byte[] end() {
        room(2).putShort((short) -1);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private ByteBuffer room(int more) {
        if (bytes.remaining() < more) {
            int size = Math.max(2 * bytes.capacity(), bytes.position() + more);
            bytes = ByteBuffer.allocate(size).put(bytes.flip());
        }
        return bytes;
    }
}
