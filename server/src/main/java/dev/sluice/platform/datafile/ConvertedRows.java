package dev.sluice.platform.datafile;

import dev.sluice.platform.secret.Sealer;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A stream of rows in COPY's binary format that converts the rows as they are read: sealed values
/// get another key, and columns that no longer exist are left out. It keeps one row in memory at a
/// time. The format is specified in the PostgreSQL manual, page COPY, section "Binary Format".
///
/// A value that the old key cannot open is passed on unchanged, so it remains unreadable.
public final class ConvertedRows extends ChunkInput {

    /// The maximum length of a field. In tables whose rows are converted, every field is shorter
    /// than this.
    private static final int MAX_FIELD_BYTES = 64 << 20;

    private static final int SIGNATURE_BYTES = 11;
    private static final int END_OF_ROWS = -1;
    private static final int NULL_FIELD = -1;

    /// The key that opens the sealed values, and the key that seals them again.
    ///
    /// @param onUnreadable called for each value that `from` cannot open
    public record KeyChange(Sealer from, Sealer to, Runnable onUnreadable) {

        private byte[] apply(byte[] sealed, String context) {
            try {
                return to.seal(from.open(sealed, context), context);
            } catch (Sealer.WrongKeyException e) {
                onUnreadable.run();
                return sealed;
            }
        }
    }

    private final DataInputStream in;
    private final DataFileHeader.TableLayout table;
    private final int idColumn;
    private final Map<Integer, String> dropped = new HashMap<>();
    private final Map<Integer, String> contexts = new HashMap<>();
    private final Optional<KeyChange> change;
    private boolean isStarted;
    private boolean isAtEnd;

    /// @param table a table whose column `id` has the type uuid; if it has no `id`, its first
    ///   column must have that type
    /// @param dropped the columns to leave out, which must be null in every row; each with what to
    ///   do with a file that has values in it
    /// @param change empty to pass on the sealed values unchanged
    public ConvertedRows(
            InputStream in,
            DataFileHeader.TableLayout table,
            Map<String, String> dropped,
            Optional<KeyChange> change) {
        this.in = new DataInputStream(in);
        this.table = table;
        this.idColumn = Math.max(0, table.columns().indexOf("id"));
        dropped.forEach(
                (column, advice) -> this.dropped.put(table.columns().indexOf(column), advice));
        table.sealed()
                .forEach((column, context) ->
                        contexts.put(table.columns().indexOf(column), context));
        this.change = change;
    }

    @Override
    Optional<byte[]> nextChunk() throws IOException {
        if (isAtEnd) {
            return Optional.empty();
        }
        boolean isStart = !isStarted;
        isStarted = true;
        return Optional.of(isStart ? start() : nextRow());
    }

    private byte[] start() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.write(bytes(SIGNATURE_BYTES));
        out.writeInt(in.readInt()); // flags
        int extension = in.readInt();
        out.writeInt(extension);
        out.write(bytes(extension));
        return bytes.toByteArray();
    }

    private byte[] nextRow() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        int columns = in.readShort();
        if (columns == END_OF_ROWS) {
            out.writeShort(columns);
            isAtEnd = true;
            return bytes.toByteArray();
        }
        out.writeShort(columns - dropped.size());
        var fields = new ArrayList<Optional<byte[]>>();
        for (int i = 0; i < columns; i++) {
            int length = in.readInt();
            fields.add(length < 0 ? Optional.empty() : Optional.of(bytes(length)));
        }
        for (int i = 0; i < columns; i++) {
            if (dropped.containsKey(i)) {
                requireNull(fields.get(i), i);
            } else {
                write(converted(fields, i), out);
            }
        }
        return bytes.toByteArray();
    }

    private void requireNull(Optional<byte[]> field, int column) {
        if (field.isPresent()) {
            throw new DataFileException(
                    "The file has values in "
                            + table.name()
                            + "."
                            + table.columns().get(column)
                            + ", which this version does not have; "
                            + dropped.get(column)
                            + ".");
        }
    }

    private Optional<byte[]> converted(List<Optional<byte[]>> fields, int column) {
        @Nullable String context = contexts.get(column);
        var field = fields.get(column);
        if (context == null || change.isEmpty()) {
            return field;
        }
        String id = id(fields.get(idColumn));
        return field.map(value -> change.get().apply(value, context + id));
    }

    private static void write(Optional<byte[]> field, DataOutputStream out) throws IOException {
        out.writeInt(field.map(value -> value.length).orElse(NULL_FIELD));
        if (field.isPresent()) {
            out.write(field.get());
        }
    }

    private static String id(Optional<byte[]> field) {
        var bits =
                field.filter(id -> id.length == 2 * Long.BYTES)
                        .map(ByteBuffer::wrap)
                        .orElseThrow(() -> new DataFileException("A row with secrets has no id."));
        return new UUID(bits.getLong(), bits.getLong()).toString();
    }

    private byte[] bytes(int length) throws IOException {
        if (length < 0 || length > MAX_FIELD_BYTES) {
            throw new DataFileException("A row with secrets is too long.");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }
}
