package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.PGCopyInputStream;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// A handle for running SQL in an open transaction. Within [Db#statement], no transaction is open,
/// and the statement commits automatically. A handle is valid only during the call that receives
/// it, and only on that call's thread.
///
/// Arguments may be strings, numbers, booleans, UUIDs, instants, byte arrays, null, and lists of
/// UUIDs, integers or longs.
public final class Tx {

    private final Connection connection;

    Tx(Connection connection) {
        this.connection = connection;
    }

    public <T> List<T> query(String sql, Row.RowMapper<T> reader, @Nullable Object... arguments) {
        try (var statement = prepare(sql, arguments);
                var result = statement.executeQuery()) {
            var row = new Row(result);
            var rows = new ArrayList<T>();
            while (result.next()) {
                rows.add(reader.map(row));
            }
            return rows;
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Returns the only row, or empty if there is none.
    ///
    /// @throws IllegalStateException if there is more than one row, which means that the statement
    ///   has a bug
    public <T> Optional<T> findOne(
            String sql, Row.RowMapper<T> reader, @Nullable Object... arguments) {
        var rows = query(sql, reader, arguments);
        if (rows.size() > 1) {
            throw new IllegalStateException("more than one row from: " + sql);
        }
        return rows.stream().findFirst();
    }

    /// Runs a statement that always returns exactly one row, and returns that row.
    ///
    /// @throws IllegalStateException if there is no row, or more than one
    public <T> T single(String sql, Row.RowMapper<T> reader, @Nullable Object... arguments) {
        return findOne(sql, reader, arguments)
                .orElseThrow(() -> new IllegalStateException("no row from: " + sql));
    }

    /// Returns the database's time at the beginning of the transaction.
    public Instant now() {
        return single("select now() as now", row -> row.instant("now"));
    }

    /// Runs the statement, and returns the number of rows that it changed.
    public int update(String sql, @Nullable Object... arguments) {
        try (var statement = prepare(sql, arguments)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Runs the statements in order, in one round trip. Does nothing if there are none.
    public void updateAll(List<SqlStatement> statements) {
        if (statements.isEmpty()) {
            return;
        }
        String sql = statements.stream().map(SqlStatement::sql).collect(Collectors.joining(";"));
        var arguments = new ArrayList<@Nullable Object>();
        statements.forEach(statement -> arguments.addAll(statement.arguments()));
        try (var statement = prepare(sql, arguments.toArray())) {
            statement.execute();
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// New rows to insert into one table.
    ///
    /// @param table the table and its columns, such as `event (id, method)`
    public record Insertion(String table, NewRows rows) {

        boolean isCopy() {
            return rows instanceof CopyRows && !rows.isEmpty();
        }
    }

    /// Runs the statements, then inserts the new rows into their tables. [StatementRows] are sent
    /// in the same round trip as the statements. Tables without new rows are skipped.
    public void insert(List<SqlStatement> first, List<Insertion> tables) {
        updateAll(insertStatements(first, tables));
        for (var table : tables) {
            if (table.rows() instanceof CopyRows many && !many.isEmpty()) {
                copy("copy " + table.table() + " from stdin (format binary)", many);
            }
        }
    }

    static boolean needsCopy(List<Insertion> tables) {
        return tables.stream().anyMatch(Insertion::isCopy);
    }

    /// Does what [#insert] does, as the last step of the transaction. If no table needs a COPY,
    /// also commits, in the same round trip; the driver then finds no open transaction and does not
    /// commit again.
    public void insertLast(List<SqlStatement> first, List<Insertion> tables) {
        if (needsCopy(tables)) {
            insert(first, tables);
            return;
        }
        var statements = insertStatements(first, tables);
        statements.add(Db.COMMIT);
        updateAll(statements);
    }

    /// Returns the statements, followed by one `insert` statement for each table with
    /// [StatementRows].
    static List<SqlStatement> insertStatements(List<SqlStatement> first, List<Insertion> tables) {
        var statements = new ArrayList<>(first);
        for (var table : tables) {
            if (table.rows() instanceof StatementRows few && !few.isEmpty()) {
                statements.add(few.into(table.table()));
            }
        }
        return statements;
    }

    /// Turns these planner features off for the rest of the transaction. The planner then uses a
    /// disabled scan or sort only if there is no alternative. Does nothing if there is no
    /// transaction.
    public void disable(PlannerFeature... features) {
        for (var feature : features) {
            update("set local " + feature.setting() + " = off");
        }
    }

    /// Runs the statement once for each element of `arguments`, in one batch. Returns the number of
    /// rows changed for each element, in order.
    public int[] updateEach(String sql, List<? extends List<?>> arguments) {
        if (arguments.isEmpty()) {
            return new int[0];
        }
        try (var statement = connection.prepareStatement(sql)) {
            for (var values : arguments) {
                bind(statement, values.toArray());
                statement.addBatch();
            }
            return statement.executeBatch();
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Sends the rows to the database with a `copy ... from stdin (format binary)` statement.
    public void copy(String sql, CopyRows rows) {
        try {
            CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
            try {
                rows.writeTo(copy);
                copy.endCopy();
            } finally {
                if (copy.isActive()) {
                    copy.cancelCopy();
                }
            }
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Runs a `copy ... from stdin` statement that reads its rows from a stream. Returns the number
    /// of rows inserted.
    ///
    /// @throws IOException if the stream cannot be read; the transaction must then be rolled back
    public long copyIn(String sql, InputStream rows) throws IOException {
        try {
            return connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql, rows);
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Runs a `copy ... to stdout` statement. Returns the number of rows that were read.
    ///
    /// @param reader must read the stream to its end
    public long copyOut(String sql, CopyReader reader) throws IOException {
        try {
            var copy = connection.unwrap(PGConnection.class).getCopyAPI().copyOut(sql);
            try (var rows = new PGCopyInputStream(copy)) {
                reader.read(rows);
            }
            return copy.getHandledRowCount();
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Reads the bytes that [#copyOut] receives from the database.
    @FunctionalInterface
    public interface CopyReader {
        void read(InputStream rows) throws IOException;
    }

    private PreparedStatement prepare(String sql, @Nullable Object... arguments)
            throws SQLException {
        var statement = connection.prepareStatement(sql);
        try {
            bind(statement, arguments);
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    private void bind(PreparedStatement statement, @Nullable Object... arguments)
            throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            bind(statement, i + 1, arguments[i]);
        }
    }

    private void bind(PreparedStatement statement, int index, @Nullable Object value)
            throws SQLException {
        switch (value) {
            case null -> statement.setNull(index, Types.NULL);
            // The null is sent with its type, because an untyped null would make the driver prepare
            // the statement again.
            case NewRows.ColumnType type ->
                    statement.setNull(index, Types.OTHER, type.driverName());
            case Instant instant -> statement.setObject(index, stored(instant));
            case SqlArray array -> statement.setArray(index, arrayOf(array));
            case Collection<?> list -> statement.setArray(index, arrayOf(list));
            default -> statement.setObject(index, value);
        }
    }

    /// Truncates a time to microseconds, which is PostgreSQL's resolution. The driver would round
    /// the time instead. A time read back from the database could then be a millisecond later than
    /// the time in an earlier reply.
    private static OffsetDateTime stored(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    }

    private java.sql.Array arrayOf(SqlArray array) throws SQLException {
        var elements = array.elements().stream().map(Tx::element);
        // Given an array of byte arrays, the driver sends the bytes themselves, and otherwise text.
        var values =
                array.elementType().equals(NewRows.ColumnType.BYTES.driverName())
                        ? elements.toArray(byte[][]::new)
                        : elements.toArray();
        return connection.createArrayOf(array.elementType(), values);
    }

    private static @Nullable Object element(Object value) {
        return switch (value) {
            case NewRows.ColumnType _ -> null;
            case Instant instant -> stored(instant);
            default -> value;
        };
    }

    /// Converts a list to a PostgreSQL array. An empty list becomes an array of UUIDs, so callers
    /// must never pass an empty list of numbers.
    private java.sql.Array arrayOf(Collection<?> list) throws SQLException {
        Object first = list.isEmpty() ? "" : list.iterator().next();
        return switch (first) {
            case Integer _ -> connection.createArrayOf("integer", list.toArray());
            case Long _ -> connection.createArrayOf("bigint", list.toArray());
            default -> connection.createArrayOf("uuid", list.toArray(new UUID[0]));
        };
    }
}
