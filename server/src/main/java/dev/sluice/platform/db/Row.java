package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The current row of a query result, with a reader method for each column type. Valid only during
/// the call to its [RowMapper].
///
/// Methods without `OrNone` in their name expect a value. For a null column, `integer`, `number`
/// and `bool` return 0 or false, lists are empty, and the other methods throw
/// `IllegalStateException`.
public final class Row {

    /// Maps one row to a value.
    @FunctionalInterface
    public interface RowMapper<T> {
        T map(Row row) throws SQLException;
    }

    private final ResultSet result;

    Row(ResultSet result) {
        this.result = result;
    }

    public String text(String column) throws SQLException {
        return present(column, result.getString(column));
    }

    public Optional<String> textOrNone(String column) throws SQLException {
        return Optional.ofNullable(result.getString(column));
    }

    public int integer(String column) throws SQLException {
        return result.getInt(column);
    }

    public Optional<Integer> integerOrNone(String column) throws SQLException {
        int value = result.getInt(column);
        return result.wasNull() ? Optional.empty() : Optional.of(value);
    }

    public long number(String column) throws SQLException {
        return result.getLong(column);
    }

    public boolean bool(String column) throws SQLException {
        return result.getBoolean(column);
    }

    public UUID uuid(String column) throws SQLException {
        return present(column, result.getObject(column, UUID.class));
    }

    public Instant instant(String column) throws SQLException {
        return instantOrNone(column)
                .orElseThrow(() -> new IllegalStateException(column + " is null"));
    }

    public Optional<Instant> instantOrNone(String column) throws SQLException {
        return Optional.ofNullable(result.getObject(column, OffsetDateTime.class))
                .map(OffsetDateTime::toInstant);
    }

    public byte[] bytes(String column) throws SQLException {
        return present(column, result.getBytes(column));
    }

    public boolean isNull(String column) throws SQLException {
        return result.getObject(column) == null;
    }

    /// Returns the elements of an array of UUIDs. Returns an empty list for a null column.
    public List<UUID> uuids(String column) throws SQLException {
        return elements(column, UUID[].class);
    }

    public List<Integer> integers(String column) throws SQLException {
        return elements(column, Integer[].class);
    }

    private <T> List<T> elements(String column, Class<T[]> type) throws SQLException {
        @Nullable Array array = result.getArray(column);
        return array == null ? List.of() : List.of(type.cast(array.getArray()));
    }

    private static <T> T present(String column, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException(column + " is null");
        }
        return value;
    }
}
