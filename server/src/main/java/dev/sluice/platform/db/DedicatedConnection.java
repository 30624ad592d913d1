package dev.sluice.platform.db;

import dev.sluice.platform.meter.LockFreeHistogram;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/// A database connection for one busy thread, outside the pool. It opens on first use and reopens
/// after it breaks or turns out to be read-only. Only one thread may use it; other threads may call
/// only `close`.
///
/// If `call` throws a [DbException] whose `isConnectionLost` returns true, the transaction may or
/// may not have been committed. The caller must find out whether it was.
public final class DedicatedConnection implements AutoCloseable {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(20);

    /// How long a transaction may be idle before PostgreSQL ends its session. Without this limit, a
    /// process that freezes during a transaction would keep rows locked.
    private static final Duration IDLE_TRANSACTION_TIMEOUT = Duration.ofSeconds(5);

    /// How long the connection may be silent before PostgreSQL sends a TCP keepalive. A network
    /// device between the two may forget a connection that is silent for some minutes, without
    /// telling either side; the first work after that would wait for the socket timeout.
    private static final Duration KEEPALIVE_IDLE = Duration.ofSeconds(60);

    private final Database database;
    private final String name;
    private final LockFreeHistogram durations;
    private final OutageLog outages;

    private volatile @Nullable Connection connection;

    public DedicatedConnection(Database database, String name) {
        this(database, name, LockFreeHistogram.ofDurations());
    }

    /// @param durations records how long each committed transaction took
    public DedicatedConnection(Database database, String name, LockFreeHistogram durations) {
        this.database = database;
        this.name = name;
        this.durations = durations;
        this.outages = OutageLog.of(database);
    }

    public <T> T call(Function<Tx, T> work) {
        return measured(opened -> Db.inTransaction(opened, work));
    }

    /// Runs the statements, then inserts the new rows into their tables, all in one transaction;
    /// see [Tx#insert]. If no table needs a COPY, everything takes a single round trip, including
    /// begin and commit. Throws the same exceptions as [#call].
    public void insert(List<SqlStatement> first, List<Tx.Insertion> tables) {
        var _ =
                measured(opened -> {
                    if (Tx.needsCopy(tables)) {
                        return Db.inTransaction(
                                opened,
                                tx -> {
                                    tx.insert(first, tables);
                                    return true;
                                });
                    }
                    Db.inOneTrip(opened, Tx.insertStatements(first, tables));
                    return true;
                });
    }

    private <T> T measured(Db.ConnectionWork<T> work) {
        long begunNanos = System.nanoTime();
        int begun = outages.begin();
        try {
            var result = work.run(connect());
            durations.record(System.nanoTime() - begunNanos);
            outages.succeeded();
            return result;
        } catch (SQLException e) {
            drop();
            var failure = new DbException(e);
            outages.failed(failure, begun);
            throw failure;
        } catch (DbException e) {
            outages.failed(e, begun);
            if (e.isConnectionLost() || e.isReadOnly()) {
                drop();
            }
            throw e;
        }
    }

    /// Returns whether the database responds on this connection. Opens the connection first if it
    /// is not open.
    public boolean isAnswering() {
        try {
            return call(tx -> tx.single("select true as there", row -> row.bool("there")));
        } catch (DbException e) {
            return false;
        }
    }

    private Connection connect() throws SQLException {
        @Nullable Connection current = connection;
        if (current != null) {
            return current;
        }
        var properties = database.properties();
        properties.setProperty("ApplicationName", "sluice " + name);
        properties.setProperty("prepareThreshold", "1");
        properties.setProperty("connectTimeout", Long.toString(CONNECT_TIMEOUT.toSeconds()));
        properties.setProperty("socketTimeout", Long.toString(SOCKET_TIMEOUT.toSeconds()));
        properties.setProperty(
                "options",
                "-c synchronous_commit=on -c jit=off -c enable_seqscan=off -c statement_timeout="
                        + STATEMENT_TIMEOUT.toMillis()
                        + " -c idle_in_transaction_session_timeout="
                        + IDLE_TRANSACTION_TIMEOUT.toMillis()
                        + " -c tcp_keepalives_idle="
                        + KEEPALIVE_IDLE.toSeconds());
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
                // The connection is already broken.
            }
        }
    }

    @Override
    public void close() {
        drop();
    }
}
