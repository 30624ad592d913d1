package dev.sluice.bench.bare;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.DatabaseAddress;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/// Commits small transactions at an even rate over one connection, to show what PostgreSQL alone
/// costs for each event that it stores by itself. A transaction inserts one row into each of two
/// tables, a row with a payload and a row with an id, and takes a single round trip.
public final class CommitLoop implements AutoCloseable {

    private static final String CREATE_TABLES_SQL =
            """
            create schema sluice;
            create table commit_event (id uuid primary key, body bytea);
            create table commit_work (id uuid primary key)
            """;

    private static final String TRANSACTION_SQL =
            """
            begin;
            insert into commit_event values (?, ?);
            insert into commit_work values (?);
            commit
            """;

    private final Connection connection;
    private final PreparedStatement transaction;
    private final byte[] body;

    /// @param database a database without tables
    /// @param bytes the size of each payload
    public CommitLoop(DatabaseAddress database, int bytes) {
        body = new byte[bytes];
        try {
            connection = database.connect();
            try (var statement = connection.createStatement()) {
                statement.execute(CREATE_TABLES_SQL);
            }
            transaction = connection.prepareStatement(TRANSACTION_SQL);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Commits `rate` transactions a second. Returns how many were committed.
    public long run(int rate, Duration time) {
        long begun = System.nanoTime();
        long all = rate * time.toMillis() / 1_000;
        for (long i = 0; i < all; i++) {
            long early = begun + i * 1_000_000_000L / rate - System.nanoTime();
            if (early > 0) {
                Wait.pause(Duration.ofNanos(early));
            }
            commit();
        }
        return all;
    }

    private void commit() {
        var random = ThreadLocalRandom.current();
        var id = new UUID(System.nanoTime(), random.nextLong()); // in order, as the relay's ids are
        random.nextBytes(body);
        try {
            transaction.setObject(1, id);
            transaction.setBytes(2, body);
            transaction.setObject(3, id);
            transaction.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
