package dev.sluice.platform.db;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Some rows for one `insert` statement, collected in memory. The statement's arguments are arrays,
/// one for each column, so its text does not depend on the number of rows.
///
/// A column's values, and its nulls, must all have the same type; otherwise the methods that add a
/// value throw an [IllegalArgumentException].
final class ArrayRows extends StatementRows {

    /// The maximum number of rows per table for which this is faster than a COPY.
    static final int MAX_ROWS = 32;

    /// The values of one column, in the order of the rows. A null is represented by the column's
    /// type.
    private record ArrayColumn(ColumnType type, List<Object> values) {

        /// The type of the elements of the column's array. PostgreSQL has no arrays of arrays of
        /// different lengths, so a list is passed as the text of an array.
        String elementType() {
            return type == ColumnType.UUIDS ? "text" : type.driverName();
        }

        String selected(String name) {
            return type == ColumnType.UUIDS ? name + "::uuid[]" : name;
        }
    }

    private final List<ArrayColumn> columns = new ArrayList<>();

    /// The number of rows, including the last one, which may be incomplete.
    private int rows;

    /// The number of columns of the last row that have a value.
    private int filled;

    @Override
    public boolean isEmpty() {
        return rows == 0;
    }

    /// @throws IllegalArgumentException if an earlier row has a different number of columns or
    ///   values
    @Override
    public ArrayRows row(int columnCount) {
        checkLastRow();
        if (rows > 0 && columnCount != columns.size()) {
            throw new IllegalArgumentException(
                    "rows with " + columns.size() + " and " + columnCount);
        }
        rows++;
        filled = 0;
        return this;
    }

    /// Without this check, the values of later rows would move into the gap.
    private void checkLastRow() {
        if (filled != columns.size()) {
            throw new IllegalArgumentException(
                    "a row with " + filled + " of " + columns.size() + " values");
        }
    }

    @Override
    public ArrayRows uuids(List<UUID> list) {
        return value(
                ColumnType.UUIDS,
                list.stream().map(UUID::toString).collect(Collectors.joining(",", "{", "}")));
    }

    @Override
    ArrayRows value(ColumnType type, Object value) {
        if (rows == 1) {
            columns.add(new ArrayColumn(type, new ArrayList<>()));
        }
        if (filled == columns.size()) {
            throw new IllegalArgumentException("a row with more than " + filled + " values");
        }
        var column = columns.get(filled);
        if (column.type() != type) {
            throw new IllegalArgumentException(
                    "column " + filled + " with " + column.type() + " and " + type);
        }
        column.values().add(value);
        filled++;
        return this;
    }

    @Override
    SqlStatement into(String table) {
        checkLastRow();
        String sql =
                "insert into %s select %s from unnest(%s) as new_row (%s)"
                        .formatted(
                                table,
                                eachColumn(i -> columns.get(i).selected(name(i))),
                                eachColumn(i -> "?::" + columns.get(i).elementType() + "[]"),
                                eachColumn(ArrayRows::name));
        return new SqlStatement(
                sql,
                columns.stream()
                        .map(column -> new SqlArray(column.elementType(), column.values()))
                        .toList());
    }

    private String eachColumn(IntFunction<String> text) {
        return IntStream.range(0, columns.size()).mapToObj(text).collect(Collectors.joining(", "));
    }

    private static String name(int column) {
        return "c" + column;
    }
}
