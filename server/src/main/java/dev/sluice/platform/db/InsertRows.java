package dev.sluice.platform.db;

import java.util.ArrayList;
import java.util.List;

/// A few rows for one `insert` statement, collected in memory. The statement has an argument for
/// each value.
final class InsertRows extends StatementRows {

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
    InsertRows value(ColumnType type, Object value) {
        values.add(value);
        return this;
    }

    @Override
    SqlStatement into(String table) {
        String row = "(" + "?, ".repeat(columns - 1) + "?)";
        String sql = "insert into " + table + " values " + (row + ", ").repeat(rows - 1) + row;
        return new SqlStatement(sql, values);
    }
}
