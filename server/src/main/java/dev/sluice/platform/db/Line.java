package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.function.Function;

/// One connection of its own for one busy thread, made when it is first needed and made anew after
/// it broke. Owned by that thread; only `close` may come from another.
///
/// A [DbException] with `isConnectionLost` from `call` leaves open whether the transaction was
/// committed: the caller must look.
public final class Line implements AutoCloseable {

    private final Database database;
    private final String name;

    private volatile @Nullable Connection connection;

    public Line(Database database, String name) {
        this.database = database;
        this.name = name;
    }

    public <T> T call(Function<Tx, T> work) {
        try {
            return Db.inTransaction(connected(), work);
        } catch (SQLException e) {
            drop();
            throw new DbException(e);
        } catch (DbException e) {
            if (e.isConnectionLost()) {
                drop();
            }
            throw e;
        }
    }

    private Connection connected() throws SQLException {
        @Nullable Connection current = connection;
        if (current != null) {
            return current;
        }
        var properties = database.properties();
        properties.setProperty("ApplicationName", "sluice " + name);
        properties.setProperty("prepareThreshold", "1");
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("socketTimeout", "30");
        properties.setProperty(
                "options",
                // A process that freezes in a transaction must not keep its rows locked from
                // others.
                "-c synchronous_commit=on -c statement_timeout=20s -c jit=off -c"
                        + " enable_seqscan=off -c idle_in_transaction_session_timeout=5s");
        var made = DriverManager.getConnection(database.jdbcUrl(), properties);
        made.setAutoCommit(false);
        connection = made;
        return made;
    }

    private void drop() {
        @Nullable Connection broken = connection;
        connection = null;
        if (broken != null) {
            try {
                broken.close();
            } catch (SQLException e) {
                // It is broken: that is why it goes.
            }
        }
    }

    @Override
    public void close() {
        drop();
    }
}
