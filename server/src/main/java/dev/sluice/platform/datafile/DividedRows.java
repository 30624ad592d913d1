package dev.sluice.platform.datafile;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/// Divides rows in COPY's binary format into parts. The rows of a part belong to a limited number
/// of groups, and each part is a whole stream in the same format. Keeps one row in memory at a
/// time. Not thread-safe.
///
/// The rows keep their order, so a group whose rows do not follow each other is in several parts.
public final class DividedRows {

    /// The signature, flags, and the length of an extension that there is none of.
    private static final byte[] START =
            "PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

    private static final int END_OF_ROWS = -1;
    private static final int MAX_FIELD_BYTES = 64 << 20;

    /// A row and the id that decides its group.
    private record IdentifiedRow(UUID id, ByteArrayOutputStream content) {}

    private final DataInputStream in;
    private final int idColumn;
    private final int columns;
    private final Function<UUID, ?> group;
    private final int maxGroups;
    private @Nullable IdentifiedRow next;
    private boolean isStarted;

    /// @param idColumn the index of the column, of the type uuid, whose value decides the group
    /// @param columns the number of columns
    /// @param maxGroups the maximum number of groups of a part
    public DividedRows(
            InputStream in, int idColumn, int columns, Function<UUID, ?> group, int maxGroups) {
        this.in = new DataInputStream(in);
        this.idColumn = idColumn;
        this.columns = columns;
        this.group = group;
        this.maxGroups = maxGroups;
    }

    /// Whether there are rows that no part has had. The last part must have been read to its end.
    public boolean hasNext() throws IOException {
        start();
        return next != null;
    }

    /// Returns the next part. It has no rows if there are none left.
    public InputStream next() throws IOException {
        start();
        return new Part();
    }

    private void start() throws IOException {
        if (isStarted) {
            return;
        }
        isStarted = true;
        try {
            byte[] start = bytes(START.length);
            if (!Arrays.equals(start, START)) {
                throw damaged();
            }
        } catch (EOFException e) {
            throw damaged();
        }
        next = nextRow();
    }

    private @Nullable IdentifiedRow nextRow() throws IOException {
        try {
            return readRow();
        } catch (EOFException e) {
            throw damaged();
        }
    }

    private @Nullable IdentifiedRow readRow() throws IOException {
        int fields = in.readShort();
        if (fields == END_OF_ROWS) {
            return null;
        }
        if (fields != columns) {
            throw damaged();
        }
        var row = new ByteArrayOutputStream();
        var out = new DataOutputStream(row);
        out.writeShort(fields);
        @Nullable UUID id = null;
        for (int i = 0; i < fields; i++) {
            int length = in.readInt();
            out.writeInt(length);
            byte[] field = length < 0 ? new byte[0] : bytes(length);
            out.write(field);
            if (i == idColumn && field.length == 2 * Long.BYTES) {
                var bits = ByteBuffer.wrap(field);
                id = new UUID(bits.getLong(), bits.getLong());
            }
        }
        if (id == null) {
            throw damaged();
        }
        return new IdentifiedRow(id, row);
    }

    private byte[] bytes(int length) throws IOException {
        if (length > MAX_FIELD_BYTES) {
            throw damaged();
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    private static DataFileException damaged() {
        return new DataFileException(
                "The file has rows that cannot be read. Fetch it again, or use another one.");
    }

    /// The start, the rows of the part's groups, and the mark that ends the rows.
    private final class Part extends ChunkInput {

        private final Set<Object> groups = new HashSet<>();
        private boolean isBegun;
        private boolean isEnded;

        @Override
        Optional<byte[]> nextChunk() throws IOException {
            if (isEnded) {
                return Optional.empty();
            }
            if (!isBegun) {
                isBegun = true;
                return Optional.of(START);
            }
            @Nullable IdentifiedRow row = next;
            if (row == null || !hasRoomFor(row)) {
                isEnded = true;
                return Optional.of(new byte[] {END_OF_ROWS, END_OF_ROWS});
            }
            next = nextRow();
            return Optional.of(row.content().toByteArray());
        }

        private boolean hasRoomFor(IdentifiedRow row) {
            Object of = group.apply(row.id());
            return groups.contains(of) || (groups.size() < maxGroups && groups.add(of));
        }
    }
}
