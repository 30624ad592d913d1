package dev.sluice.platform.db;

import org.postgresql.copy.CopyIn;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/// Rows for a binary COPY, collected in memory. The format is specified in the PostgreSQL manual,
/// page COPY, section "Binary Format".
///
/// The object can be reused after `clear`, which keeps at most 4 MiB of the buffer.
public final class CopyRows implements NewRows {

    private static final byte[] COPY_HEADER = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
    };

    /// The epoch from which PostgreSQL counts timestamps, 2000-01-01, in seconds since 1970.
    private static final long POSTGRES_EPOCH_SECONDS = 946_684_800;

    private static final int UUID_TYPE_OID = 2950;

    private static final int MAX_RETAINED_BYTES = 4 << 20;

    private byte[] buffer = new byte[1024];
    private int length;
    private int rows;

    public CopyRows() {
        put(COPY_HEADER);
    }

    /// Removes all rows.
    public CopyRows clear() {
        if (buffer.length > MAX_RETAINED_BYTES) {
            buffer = new byte[MAX_RETAINED_BYTES];
        }
        length = 0;
        rows = 0;
        put(COPY_HEADER);
        return this;
    }

    @Override
    public boolean isEmpty() {
        return rows == 0;
    }

    @Override
    public CopyRows row(int columns) {
        rows++;
        put2(columns);
        return this;
    }

    @Override
    public CopyRows nullValue(ColumnType type) {
        put4(-1);
        return this;
    }

    @Override
    public CopyRows uuid(UUID value) {
        put4(16);
        put8(value.getMostSignificantBits());
        put8(value.getLeastSignificantBits());
        return this;
    }

    @Override
    public CopyRows bool(boolean value) {
        put4(1);
        put(new byte[] {(byte) (value ? 1 : 0)});
        return this;
    }

    @Override
    public CopyRows int2(int value) {
        put4(2);
        put2(value);
        return this;
    }

    @Override
    public CopyRows int4(int value) {
        put4(4);
        put4(value);
        return this;
    }

    @Override
    public CopyRows int8(long value) {
        put4(8);
        put8(value);
        return this;
    }

    @Override
    public CopyRows bytes(byte[] value) {
        put4(value.length);
        put(value);
        return this;
    }

    @Override
    public CopyRows text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public CopyRows instant(Instant value) {
        put4(8);
        put8(
                (value.getEpochSecond() - POSTGRES_EPOCH_SECONDS) * 1_000_000
                        + value.getNano() / 1_000);
        return this;
    }

    @Override
    public CopyRows uuids(List<UUID> values) {
        boolean isEmpty = values.isEmpty();
        put4(isEmpty ? 12 : 20 + values.size() * (4 + 16));
        put4(isEmpty ? 0 : 1); // dimensions
        put4(0); // no nulls
        put4(UUID_TYPE_OID);
        if (!isEmpty) {
            put4(values.size());
            put4(1); // lower bound
        }
        values.forEach(this::uuid);
        return this;
    }

    void writeTo(CopyIn copy) throws SQLException {
        put2(-1);
        copy.writeToCopy(buffer, 0, length);
    }

    private void put(byte[] bytes) {
        ensureCapacity(bytes.length);
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
    }

    private void put2(int value) {
        ensureCapacity(2);
        buffer[length++] = (byte) (value >> 8);
        buffer[length++] = (byte) value;
    }

    private void put4(int value) {
        ensureCapacity(4);
        put2(value >> 16);
        put2(value);
    }

    private void put8(long value) {
        put4((int) (value >> 32));
        put4((int) value);
    }

    private void ensureCapacity(int extraBytes) {
        if (buffer.length - length < extraBytes) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + extraBytes));
        }
    }
}
