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
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A stream of rows in COPY's binary format that reseals the sealed values with another key as the
/// rows are read. It keeps one row in memory at a time. The format is specified in the PostgreSQL
/// manual, page COPY, section "Binary Format".
///
/// A value that the old key cannot open is passed on unchanged, so it remains unreadable.
public final class ResealedRows extends BlockInput {

    /// The maximum length of a field. In tables with sealed values, every field is shorter than
    /// this.
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
    private final int idColumn;
    private final Map<Integer, String> contexts;
    private final KeyChange change;
    private byte[] row = {};
    private int from;
    private boolean isStarted;
    private boolean isAtEnd;

    /// @param table a table whose column `id` has the type uuid; if it has no `id`, its first
    ///   column must have that type
    public ResealedRows(InputStream in, DataFileHeader.TableLayout table, KeyChange change) {
        this.in = new DataInputStream(in);
        this.idColumn = Math.max(0, table.columns().indexOf("id"));
        this.contexts = new HashMap<>();
        table.sealed()
                .forEach((column, context) ->
                        contexts.put(table.columns().indexOf(column), context));
        this.change = change;
    }

    @Override
    public int read(byte @Nullable [] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (from == row.length) {
            if (isAtEnd) {
                return -1;
            }
            row = isStarted ? nextRow() : start();
            isStarted = true;
            from = 0;
        }
        int taken = Math.min(length, row.length - from);
        System.arraycopy(row, from, target, offset, taken);
        from += taken;
        return taken;
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
        out.writeShort(columns);
        if (columns == END_OF_ROWS) {
            isAtEnd = true;
            return bytes.toByteArray();
        }
        var fields = new ArrayList<Optional<byte[]>>();
        for (int i = 0; i < columns; i++) {
            int length = in.readInt();
            fields.add(length < 0 ? Optional.empty() : Optional.of(bytes(length)));
        }
        String id = id(fields.get(idColumn));
        for (int i = 0; i < columns; i++) {
            @Nullable String context = contexts.get(i);
            var field =
                    fields.get(i)
                            .map(value ->
                                    context == null ? value : change.apply(value, context + id));
            out.writeInt(field.map(value -> value.length).orElse(NULL_FIELD));
            if (field.isPresent()) {
                out.write(field.get());
            }
        }
        return bytes.toByteArray();
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
