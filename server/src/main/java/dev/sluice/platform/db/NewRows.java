package dev.sluice.platform.db;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Rows to be inserted into a table, collected in memory.
///
/// Each row starts with `row(columns)`, followed by one call per column in order. [CopyRows] is the
/// cheapest way to write many rows, [ArrayRows] some, and [InsertRows] a few. Not thread-safe.
public sealed interface NewRows permits CopyRows, StatementRows {

    /// Returns an empty object of the kind that suits this number of rows.
    static NewRows of(int rows) {
        return fitStatement(rows)
                ? rows <= InsertRows.MAX_ROWS ? new InsertRows() : new ArrayRows()
                : new CopyRows();
    }

    /// Whether a single `insert` statement is the cheapest way to write this number of rows.
    static boolean fitStatement(int rows) {
        return rows <= ArrayRows.MAX_ROWS;
    }

    boolean isEmpty();

    /// Begins a row.
    ///
    /// @param columns the number of values that the row will have, the same for all rows
    NewRows row(int columns);

    /// Adds a null value.
    ///
    /// @param type the column's type
    NewRows nullValue(ColumnType type);

    /// The types of columns, with the names that the driver uses for them.
    enum ColumnType {
        BOOL("bool"),
        UUID("uuid"),
        UUIDS("_uuid"),
        INT2("int2"),
        INT4("int4"),
        INT8("int8"),
        BYTES("bytea"),
        TEXT("varchar"),
        INSTANT("timestamptz");

        private final String driverName;

        ColumnType(String driverName) {
            this.driverName = driverName;
        }

        String driverName() {
            return driverName;
        }
    }

    NewRows uuid(UUID value);

    NewRows bool(boolean value);

    NewRows int2(int value);

    NewRows int4(int value);

    NewRows int8(long value);

    NewRows bytes(byte[] value);

    NewRows text(String value);

    default NewRows text(Optional<String> value) {
        return value.isPresent() ? text(value.get()) : nullValue(ColumnType.TEXT);
    }

    /// Adds a timestamp, truncated to microseconds, which is PostgreSQL's resolution.
    ///
    /// @param value a time in the years 1 to 9999
    NewRows instant(Instant value);

    NewRows uuids(List<UUID> values);

    default NewRows uuid(Optional<UUID> value) {
        return value.isPresent() ? uuid(value.get()) : nullValue(ColumnType.UUID);
    }

    default NewRows int2(Optional<? extends Number> value) {
        return value.isPresent() ? int2(value.get().intValue()) : nullValue(ColumnType.INT2);
    }

    default NewRows int4(Optional<Integer> value) {
        return value.isPresent() ? int4(value.get()) : nullValue(ColumnType.INT4);
    }

    default NewRows bytes(Optional<byte[]> value) {
        return value.isPresent() ? bytes(value.get()) : nullValue(ColumnType.BYTES);
    }

    default NewRows instant(Optional<Instant> value) {
        return value.isPresent() ? instant(value.get()) : nullValue(ColumnType.INSTANT);
    }
}
