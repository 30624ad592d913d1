package dev.sluice.platform.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;

/// A small connection pool that runs transactions. All code uses it except the busiest threads,
/// each of which has a [DedicatedConnection]. Thread-safe.
public final class Db implements AutoCloseable {

    private static final SqlStatement BEGIN = new SqlStatement("begin", List.of());
    static final SqlStatement COMMIT = new SqlStatement("commit", List.of());

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /// How long a connection waits for data from the database before it counts as broken. If the
    /// statement timeout is longer, that timeout applies instead.
    private static final Duration SOCKET_TIMEOUT = Duration.ofMinutes(1);

    private static final Duration IDLE_TRANSACTION_TIMEOUT = Duration.ofSeconds(10);

    /// How long a connection may be unused before the pool closes it, unless it is the pool's only
    /// one. Each takes 3 to 6 MB of memory in PostgreSQL.
    private static final Duration IDLE_CONNECTION_TIMEOUT = Duration.ofSeconds(20);

    /// Undoes a change to a connection's settings. Used in try-with-resources, so a failure to undo
    /// the change does not hide an earlier failure.
    @FunctionalInterface
    private interface Restoration extends AutoCloseable {

        @Override
        void close() throws SQLException;
    }

    private final HikariDataSource pool;
    private final OutageLog outages;

    /// Shares the connections between owners; empty if whoever comes first gets one.
    private final Optional<ConnectionLine> line;

    private Db(HikariDataSource pool, OutageLog outages, Optional<ConnectionLine> line) {
        this.pool = pool;
        this.outages = outages;
        this.line = line;
    }

    /// @param name the name of the pool in log lines and in PostgreSQL's `pg_stat_activity`
    /// @param connections the maximum number of open connections
    /// @param statementTimeout how long one statement may run
    public static Db open(
            Database database, String name, int connections, Duration statementTimeout) {
        return open(database, name, connections, statementTimeout, Optional.empty());
    }

    /// Opens a pool whose connections are shared between the owners of the work: one
    /// [ConnectionOwner] holds at most half of them.
    public static Db openShared(
            Database database, String name, int connections, Duration statementTimeout) {
        return open(
                database,
                name,
                connections,
                statementTimeout,
                Optional.of(new ConnectionLine(connections)));
    }

    private static Db open(
            Database database,
            String name,
            int connections,
            Duration statementTimeout,
            Optional<ConnectionLine> line) {
        var config = config(database, name, connections, statementTimeout);
        try {
            return new Db(new HikariDataSource(config), OutageLog.of(database), line);
        } catch (HikariPool.PoolInitializationException e) {
            throw new DbException(String.valueOf(e.getMessage()));
        }
    }

    /// Opens a pool that is rarely used. Unlike a pool from [#open], it connects only when a
    /// connection is needed, and closes even its last connection when that connection has been idle
    /// for a long time.
    public static Db openOnDemand(
            Database database, String name, int connections, Duration statementTimeout) {
        var config = config(database, name, connections, statementTimeout);
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1);
        return new Db(new HikariDataSource(config), OutageLog.of(database), Optional.empty());
    }

    private static HikariConfig config(
            Database database, String name, int connections, Duration statementTimeout) {
        var config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(database.jdbcUrl());
        config.setDataSourceProperties(database.properties());
        config.addDataSourceProperty("ApplicationName", "sluice " + name);
        var silence =
                statementTimeout.compareTo(SOCKET_TIMEOUT) > 0 ? statementTimeout : SOCKET_TIMEOUT;
        config.addDataSourceProperty("socketTimeout", Long.toString(silence.toSeconds()));
        config.addDataSourceProperty(
                "options",
                "-c idle_in_transaction_session_timeout="
                        + IDLE_TRANSACTION_TIMEOUT.toMillis()
                        + " -c statement_timeout="
                        + statementTimeout.toMillis());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(1);
        config.setIdleTimeout(IDLE_CONNECTION_TIMEOUT.toMillis());
        config.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
        config.setInitializationFailTimeout(CONNECT_TIMEOUT.toMillis());
        // With autocommit off, the pool's check of an idle connection would open a transaction. A
        // statement outside a transaction would then need two more round trips.
        config.setAutoCommit(true);
        return config;
    }

    public void run(Consumer<Tx> work) {
        call(tx -> {
            work.accept(tx);
            return true;
        });
    }

    /// Runs `work` in a transaction, which is committed if `work` returns and rolled back if it
    /// throws.
    public <T> T call(Function<Tx, T> work) {
        return withConnection(connection -> {
            connection.setAutoCommit(false); // the pool resets this
            return inTransaction(connection, work);
        });
    }

    /// Runs `work`, which must run only one statement. The statement commits automatically and
    /// takes a single round trip, while [#call] needs a second one for the commit. Use this for
    /// queries that run repeatedly, even while the server is idle.
    public <T> T statement(Function<Tx, T> work) {
        return withConnection(connection -> work.apply(new Tx(connection)));
    }

    private <T> T withConnection(ConnectionWork<T> work) {
        if (line.isEmpty()) {
            return withPooled(work);
        }
        var owner = ConnectionOwner.current();
        line.get().enter(owner, CONNECT_TIMEOUT);
        try {
            return withPooled(work);
        } finally {
            line.get().leave(owner);
        }
    }

    private <T> T withPooled(ConnectionWork<T> work) {
        int begun = outages.begin();
        try {
            T result = runOnce(work);
            outages.succeeded();
            return result;
        } catch (DbException e) {
            outages.failed(e, begun);
            throw e;
        }
    }

    @FunctionalInterface
    interface ConnectionWork<T> {
        T run(Connection connection) throws SQLException;
    }

    private <T> T runOnce(ConnectionWork<T> work) {
        try (var connection = pool.getConnection()) {
            try {
                return work.run(connection);
            } catch (DbException e) {
                if (e.isReadOnly()) {
                    pool.evictConnection(connection); // the pool closes it when it is returned
                }
                throw e;
            }
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }

    /// Runs `work` in a read-only transaction in which all queries see the same snapshot of the
    /// database (isolation level "repeatable read").
    public <T> T snapshot(Function<Tx, T> work) {
        return call(tx -> {
            tx.update("set transaction isolation level repeatable read, read only");
            return work.apply(tx);
        });
    }

    /// Runs one statement that PostgreSQL refuses inside a transaction. One example is `detach
    /// partition ... concurrently`, which itself runs several transactions.
    ///
    /// @param lockTimeout how long the statement may wait for each lock
    public void executeOutsideTransaction(String sql, Duration lockTimeout) {
        int begun = outages.begin();
        try (var connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("set lock_timeout = " + lockTimeout.toMillis());
            try (Restoration _ = () -> statement.execute("reset lock_timeout")) {
                statement.execute(sql);
            }
            outages.succeeded();
        } catch (SQLException e) {
            var failure = new DbException(e);
            outages.failed(failure, begun);
            throw failure;
        }
    }

    /// The current state of the pool.
    ///
    /// @param active the number of connections in use
    /// @param idle the number of open connections that are not in use
    /// @param waiting the number of threads that are waiting for a connection
    /// @param max the maximum number of connections
    /// @param taken how many times work of a request took a connection; 0 if the pool is not shared
    /// @param refused how many times work got no connection because its owner had its share
    public record PoolUse(
            String name, int active, int idle, int waiting, int max, long taken, long refused) {}

    public PoolUse use() {
        var state = pool.getHikariPoolMXBean();
        return new PoolUse(
                pool.getPoolName(),
                state.getActiveConnections(),
                state.getIdleConnections(),
                state.getThreadsAwaitingConnection() + line.map(ConnectionLine::waiting).orElse(0),
                pool.getMaximumPoolSize(),
                line.map(ConnectionLine::taken).orElse(0L),
                line.map(ConnectionLine::refused).orElse(0L));
    }

    /// Returns unless the current work would be refused at once, because too much of its owner's
    /// work is waiting.
    ///
    /// @throws DbException if the work would be refused ([DbException#isBusy])
    public void requireRoom() {
        line.ifPresent(shared -> shared.requireRoom(ConnectionOwner.current()));
    }

    /// Changes how many connections of a shared pool may be in use, for tests.
    ///
    /// @param connections empty for all of them
    public void resize(OptionalInt connections) {
        line.orElseThrow().resize(connections.orElse(pool.getMaximumPoolSize()));
    }

    /// Returns how many connections each owner holds; empty if the pool is not shared.
    public Map<Object, Integer> heldByOwner() {
        return line.map(ConnectionLine::held).orElse(Map.of());
    }

    /// Returns whether the database currently responds to statements.
    public boolean isReachable() {
        try {
            return statement(tx -> tx.single("select true as there", row -> row.bool("there")));
        } catch (DbException e) {
            return e.isBusy(); // says nothing about the database
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

    /// Runs the statements as one transaction in a single round trip.
    ///
    /// Sends `begin` and `commit` as statements along with the others, so either all of them take
    /// effect or none do, no matter how the driver sends them. If the driver managed the
    /// transaction, it would wait for the replies to both `begin` and `commit`.
    static void inOneTrip(Connection connection, List<SqlStatement> statements)
            throws SQLException {
        var all = new ArrayList<SqlStatement>();
        all.add(BEGIN);
        all.addAll(statements);
        all.add(COMMIT);
        connection.setAutoCommit(true); // so that the driver starts no transaction
        try {
            new Tx(connection).updateAll(all);
        } catch (RuntimeException | Error e) {
            try {
                connection.setAutoCommit(false);
                connection.rollback();
            } catch (SQLException rollback) {
                e.addSuppressed(rollback);
            }
            throw e;
        }
        connection.setAutoCommit(false);
    }

    @Override
    public void close() {
        pool.close();
    }
}
