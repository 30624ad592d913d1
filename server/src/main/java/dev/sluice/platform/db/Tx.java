package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// One open transaction. Not to be kept, and not to be shared between threads.
///
/// Arguments may be strings, numbers, booleans, UUIDs, instants, byte arrays, lists of UUIDs,
/// integers or longs, and null.
public final class Tx {

    private final Connection connection;

    Tx(Connection connection) {
        this.connection = connection;
    }

    public <T> List<T> query(String sql, Row.Reader<T> reader, @Nullable Object... arguments) {
        try (var statement = prepare(sql, arguments);
                var result = statement.executeQuery()) {
            var row = new Row(result);
            var rows = new ArrayList<T>();
            while (result.next()) {
                rows.add(reader.read(row));
            }
            return rows;
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// The only row, or empty. More than one is a bug in the statement.
    public <T> Optional<T> one(String sql, Row.Reader<T> reader, @Nullable Object... arguments) {
        var rows = query(sql, reader, arguments);
        if (rows.size() > 1) {
            throw new IllegalStateException("more than one row from: " + sql);
        }
        return rows.stream().findFirst();
    }

    /// The only row of a statement that always has one.
    public <T> T single(String sql, Row.Reader<T> reader, @Nullable Object... arguments) {
        return one(sql, reader, arguments)
                .orElseThrow(() -> new IllegalStateException("no row from: " + sql));
    }

    /// How many rows were changed.
    public int update(String sql, @Nullable Object... arguments) {
        try (var statement = prepare(sql, arguments)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Runs the statement once for each element, sent together. How many rows each changed, in
    /// order.
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

    /// Runs `copy … from stdin (format binary)` with the rows.
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
            case Instant instant -> statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
            case Collection<?> list -> statement.setArray(index, arrayOf(list));
            default -> statement.setObject(index, value);
        }
    }

    /// An empty list is an empty list of UUIDs, which only compares with UUIDs: never pass one for
    /// numbers.
    private java.sql.Array arrayOf(Collection<?> list) throws SQLException {
        Object first = list.isEmpty() ? "" : list.iterator().next();
        return switch (first) {
            case Integer _ -> connection.createArrayOf("integer", list.toArray());
            case Long _ -> connection.createArrayOf("bigint", list.toArray());
            default -> connection.createArrayOf("uuid", list.toArray(new UUID[0]));
        };
    }
}
