package dev.sluice.faults;

import dev.sluice.bench.ledger.MessageEntry.AckedEntry;
import dev.sluice.faults.cluster.StandalonePostgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Queries the relays' database. Each query uses a new connection.
record TestbedQueries(StandalonePostgres postgres) {

    private static final int INSERT_BATCH_SIZE = 1000;

    /// Returns the first column of a query's rows, as numbers.
    List<Long> numbers(String sql) {
        return texts(sql).stream().map(Long::valueOf).toList();
    }

    /// Returns the first column of a query's rows, as text.
    List<String> texts(String sql) {
        try (var connection = postgres.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var texts = new ArrayList<String>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    long number(String sql) {
        return numbers(sql).getFirst();
    }

    void execute(String sql) {
        try (var connection = postgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Returns the number of unfinished deliveries.
    long waitingDeliveries() {
        return number("select count(*) from delivery_work");
    }

    long waitingDeliveries(String destination) {
        return number(
                """
                select count(*) from delivery_work w join connection c on c.id = w.connection_id
                 where c.destination_id = '%s'
                """
                        .formatted(destination));
    }

    /// Returns how many events repeat the marker of another event, not counting the first event
    /// with each marker. If there are any, a batch was stored twice.
    long storedTwice() {
        return number(
                """
                select count(*) - count(distinct substring(body from 12 for 33))
                  from event
                 where substring(body from 1 for 11) = convert_to('{"marker":"', 'UTF8')
                """);
    }

    /// Returns how many of these events are not stored.
    long notStored(List<AckedEntry> acked) {
        try (var connection = postgres.connect();
                var statement = connection.createStatement()) {
            statement.execute("create temporary table acked (id uuid)");
            try (var insert = connection.prepareStatement("insert into acked values (?)")) {
                int count = 0;
                for (AckedEntry one : acked) {
                    insert.setObject(1, UUID.fromString(one.requestId()));
                    insert.addBatch();
                    if (++count % INSERT_BATCH_SIZE == 0) {
                        insert.executeBatch();
                    }
                }
                insert.executeBatch();
            }
            var rows =
                    statement.executeQuery(
                            """
                            select count(*) from acked
                             where not exists (select from event where event.id = acked.id)
                            """);
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean isLive(long epoch) {
        return number(
                        "select count(*) from node where state = 'live' and epoch = %d"
                                .formatted(epoch))
                == 1;
    }

    boolean hasTable(String name) {
        return number("select count(*) from pg_class where relname = '%s'".formatted(name)) == 1;
    }

    /// Returns the process ids of the relays' sessions. Sessions whose latest statement was a
    /// COMMIT or a COPY come first, because those are the ones that write.
    List<Long> sessionPids() {
        return numbers(
                """
                select pid from pg_stat_activity
                 where backend_type = 'client backend' and pid <> pg_backend_pid()
                 order by (query ilike 'commit%' or query ilike 'copy%') desc, state_change desc
                """);
    }

    /// Returns the process id of PostgreSQL's only process of this type, such as `walwriter`, or
    /// empty if it is not running.
    Optional<Long> backgroundPid(String type) {
        return numbers("select pid from pg_stat_activity where backend_type = '%s'".formatted(type))
                .stream()
                .findFirst();
    }

    /// Opens a transaction that reads a table and stays open until its connection is closed.
    Connection holdTransaction(int isolation, String table) {
        try {
            var connection = postgres.connect();
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(isolation);
            try (var statement = connection.createStatement()) {
                statement.execute("select count(*) from " + table);
            }
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
