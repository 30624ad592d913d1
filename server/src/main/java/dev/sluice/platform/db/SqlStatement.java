package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// An SQL statement that returns no rows, together with its arguments.
///
/// @param sql one statement, without a semicolon
/// @param arguments values of the types that [Tx] accepts, or a [NewRows.ColumnType] for a null of
///   that type
public record SqlStatement(String sql, List<? extends @Nullable Object> arguments) {

    public SqlStatement {
        arguments = Collections.unmodifiableList(new ArrayList<@Nullable Object>(arguments));
    }
}
