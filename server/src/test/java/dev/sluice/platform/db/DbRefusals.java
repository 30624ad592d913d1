package dev.sluice.platform.db;

import java.sql.SQLException;

/// Makes the exceptions of a database for a simulated one.
public final class DbRefusals {

    private DbRefusals() {}

    public static DbException of(String state) {
        return new DbException(new SQLException("refused", state));
    }
}
