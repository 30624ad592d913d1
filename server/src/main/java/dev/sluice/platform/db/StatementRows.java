package dev.sluice.platform.db;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Rows that one `insert` statement can insert. Unlike a COPY, which alone needs two round trips,
/// the statement can share its round trip with other statements ([Tx#updateAll]).
abstract sealed class StatementRows implements NewRows permits InsertRows, ArrayRows {

    /// Adds a value to the last row.
    ///
    /// @param value a value of one of the types that [Tx] accepts; the column's type stands for a
    ///   null
    abstract StatementRows value(ColumnType type, Object value);

    /// Returns the statement that inserts the rows. There must be at least one row.
    ///
    /// @param table the table and its columns, such as `event (id, method)`
    abstract SqlStatement into(String table);

    @Override
    public final StatementRows nullValue(ColumnType type) {
        return value(type, type);
    }

    @Override
    public final StatementRows uuid(UUID value) {
        return value(ColumnType.UUID, value);
    }

    @Override
    public final StatementRows bool(boolean value) {
        return value(ColumnType.BOOL, value);
    }

    @Override
    public final StatementRows int2(int value) {
        return value(ColumnType.INT2, (short) value); // an int would not have the column's type
    }

    @Override
    public final StatementRows int4(int value) {
        return value(ColumnType.INT4, value);
    }

    @Override
    public final StatementRows int8(long value) {
        return value(ColumnType.INT8, value);
    }

    @Override
    public final StatementRows bytes(byte[] value) {
        return value(ColumnType.BYTES, value);
    }

    @Override
    public final StatementRows text(String value) {
        return value(ColumnType.TEXT, value);
    }

    @Override
    public final StatementRows instant(Instant value) {
        return value(ColumnType.INSTANT, value);
    }

    @Override
    public StatementRows uuids(List<UUID> values) {
        return value(ColumnType.UUIDS, List.copyOf(values));
    }
}
