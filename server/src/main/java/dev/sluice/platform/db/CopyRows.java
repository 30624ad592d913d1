package dev.sluice.platform.db;

import org.postgresql.copy.CopyIn;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Rows for a binary COPY, in the format of PostgreSQL's manual (COPY, "Binary Format").
///
/// Each row starts with `row(columns)`, then one call for each column in order. Can be used again
/// after `clear`, which keeps the memory up to a limit. Owned by one thread.
public final class CopyRows {

    private static final byte[] HEADER = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
    };
    private static final long EPOCH_SECONDS =
            946_684_800; // 2000-01-01, where timestamps count from
    private static final int UUID_TYPE = 2950;

    private static final int MOST_KEPT = 4 << 20;

    private byte[] buffer = new byte[1024];
    private int length;
    private int rows;

    public CopyRows() {
        put(HEADER);
    }

    /// As new.
    public CopyRows clear() {
        if (buffer.length > MOST_KEPT) {
            buffer = new byte[MOST_KEPT];
        }
        length = 0;
        rows = 0;
        put(HEADER);
        return this;
    }

    public boolean isEmpty() {
        return rows == 0;
    }

    public CopyRows row(int columns) {
        rows++;
        put2(columns);
        return this;
    }

    public CopyRows nothing() {
        put4(-1);
        return this;
    }

    public CopyRows uuid(UUID value) {
        put4(16);
        put8(value.getMostSignificantBits());
        put8(value.getLeastSignificantBits());
        return this;
    }

    public CopyRows int2(int value) {
        put4(2);
        put2(value);
        return this;
    }

    public CopyRows int4(int value) {
        put4(4);
        put4(value);
        return this;
    }

    public CopyRows int8(long value) {
        put4(8);
        put8(value);
        return this;
    }

    public CopyRows bytes(byte[] value) {
        put4(value.length);
        put(value);
        return this;
    }

    public CopyRows text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    public CopyRows text(Optional<String> value) {
        return value.isPresent() ? text(value.get()) : nothing();
    }

    /// To the microsecond.
    public CopyRows instant(Instant value) {
        put4(8);
        put8((value.getEpochSecond() - EPOCH_SECONDS) * 1_000_000 + value.getNano() / 1_000);
        return this;
    }

    public CopyRows uuids(List<UUID> values) {
        boolean isEmpty = values.isEmpty();
        put4(isEmpty ? 12 : 20 + values.size() * (4 + 16));
        put4(isEmpty ? 0 : 1); // dimensions
        put4(0); // no nulls
        put4(UUID_TYPE);
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
        room(bytes.length);
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
    }

    private void put2(int value) {
        room(2);
        buffer[length++] = (byte) (value >> 8);
        buffer[length++] = (byte) value;
    }

    private void put4(int value) {
        room(4);
        put2(value >> 16);
        put2(value);
    }

    private void put8(long value) {
        put4((int) (value >> 32));
        put4((int) value);
    }

    private void room(int more) {
        if (buffer.length - length < more) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
        }
    }
}
