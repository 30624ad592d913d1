package dev.sluice.platform.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

/// Transactions on a small pool of connections, for everything that is not the hot path (see
/// [Line]). Safe for use by many threads.
public final class Db implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final HikariDataSource pool;

    private Db(HikariDataSource pool) {
        this.pool = pool;
    }

    /// @param name tells the pool from others, in the database's own lists too
    /// @param connections at most
    /// @param longest that one statement may take
    public static Db open(Database database, String name, int connections, Duration longest) {
        var config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(database.jdbcUrl());
        config.setDataSourceProperties(database.properties());
        config.addDataSourceProperty("ApplicationName", "sluice " + name);
        config.addDataSourceProperty("socketTimeout", "60");
        config.addDataSourceProperty(
                "options",
                "-c idle_in_transaction_session_timeout=10s -c statement_timeout="
                        + longest.toMillis());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(PATIENCE.toMillis());
        config.setInitializationFailTimeout(PATIENCE.toMillis());
        config.setAutoCommit(false);
        try {
            return new Db(new HikariDataSource(config));
        } catch (HikariPool.PoolInitializationException e) {
            throw new DbException(String.valueOf(e.getMessage()));
        }
    }

    public void run(Consumer<Tx> work) {
        call(tx -> {
            work.accept(tx);
            return true;
        });
    }

    /// Runs `work` in a transaction: committed when it returns, rolled back when it throws.
    public <T> T call(Function<Tx, T> work) {
        try (var connection = pool.getConnection()) {
            return inTransaction(connection, work);
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Runs `work` on one snapshot of the database: all its queries see the same moment.
    public <T> T snapshot(Function<Tx, T> work) {
        return call(tx -> {
            tx.update("set transaction isolation level repeatable read, read only");
            return work.apply(tx);
        });
    }

    /// Runs one statement that PostgreSQL refuses inside a transaction, such as one that says
    /// `concurrently`: it makes its own, one after the other.
    ///
    /// @param patience for each lock it has to wait for
    public void alone(String sql, Duration patience) {
        try (var connection = pool.getConnection()) {
            connection.setAutoCommit(true);
            try (var statement = connection.createStatement()) {
                statement.execute("set lock_timeout = " + patience.toMillis());
                try {
                    statement.execute(sql);
                } finally {
                    statement.execute("reset lock_timeout");
                }
            } finally {
                connection.setAutoCommit(false);
            }
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    static <T> T inTransaction(Connection connection, Function<Tx, T> work) throws SQLException {
        T result;
        try {
            result = work.apply(new Tx(connection));
        } catch (RuntimeException | Error e) {
            try {
                connection.rollback();
            } catch (SQLException rollback) {
                e.addSuppressed(rollback);
            }
            throw e;
        }
        connection.commit();
        return result;
    }

    @Override
    public void close() {
        pool.close();
    }
}
