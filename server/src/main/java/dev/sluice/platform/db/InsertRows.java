package dev.sluice.platform.db;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// A few rows for one `insert` statement, collected in memory. The statement has an argument for
/// each value.
public final class InsertRows implements StatementRows {

    /// The maximum number of rows per table. A low maximum limits the number of prepared
    /// statements, because the connection keeps one for each combination of row counts that occurs.
    static final int MAX_ROWS = 4;

    /// The values of all rows. A null is represented by its column's [ColumnType].
    private final List<Object> values = new ArrayList<>();

    private int rows;
    private int columns;

    @Override
    public boolean isEmpty() {
        return rows == 0;
    }

    /// @throws IllegalArgumentException if the earlier rows have a different number of columns
    @Override
    public InsertRows row(int columnCount) {
        if (rows > 0 && columnCount != columns) {
            throw new IllegalArgumentException("rows with " + columns + " and " + columnCount);
        }
        columns = columnCount;
        rows++;
        return this;
    }

    @Override
    public InsertRows nullValue(ColumnType type) {
        return value(type);
    }

    @Override
    public InsertRows uuid(UUID value) {
        return value(value);
    }

    @Override
    public InsertRows bool(boolean value) {
        return value(value);
    }

    @Override
    public InsertRows int2(int value) {
        return value((short) value); // as an int, it would not have the column's type
    }

    @Override
    public InsertRows int4(int value) {
        return value(value);
    }

    @Override
    public InsertRows int8(long value) {
        return value(value);
    }

    @Override
    public InsertRows bytes(byte[] value) {
        return value(value);
    }

    @Override
    public InsertRows text(String value) {
        return value(value);
    }

    @Override
    public InsertRows instant(Instant value) {
        return value(value);
    }

    @Override
    public InsertRows uuids(List<UUID> list) {
        return value(List.copyOf(list));
    }

    private InsertRows value(Object value) {
        values.add(value);
        return this;
    }

    @Override
    public SqlStatement into(String table) {
        String row = "(" + "?, ".repeat(columns - 1) + "?)";
        String sql = "insert into " + table + " values " + (row + ", ").repeat(rows - 1) + row;
        return new SqlStatement(sql, values);
    }
}
