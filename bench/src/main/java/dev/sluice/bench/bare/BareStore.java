package dev.sluice.bench.bare;

import static java.util.Objects.requireNonNull;

import org.postgresql.PGConnection;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/// Writes events and delivery results to PostgreSQL in batches.
///
/// One thread stores events and another stores results, each over its own connection. Each
/// transaction writes all items that are queued, up to `MAX_BATCH_SIZE`.
final class BareStore {

    private static final int MAX_BATCH_SIZE = 512;
    private static final int NO_PAUSE_QUEUE_SIZE = 64;

    /// The pause that follows a batch. The relay makes similar pauses, but adapts their length. The
    /// pause is skipped if at least `NO_PAUSE_QUEUE_SIZE` more items are already queued.
    ///
    /// @param minBatchSize the size of the smallest batch that is followed by a pause
    private record BatchPause(int minBatchSize, Duration time) {}

    private static final BatchPause EVENT_PAUSE = new BatchPause(8, Duration.ofMillis(2));
    private static final BatchPause RESULT_PAUSE = new BatchPause(1, Duration.ofMillis(4));

    private static final String CREATE_TABLES_SQL =
            """
            drop schema if exists bare cascade;
            create schema bare;
            create table bare.event (
              id uuid primary key, content_type text, headers bytea, body bytea);
            create table bare.work (id uuid primary key);
            create table bare.delivery (id uuid primary key, status int)
            """;

    /// The result of delivering an event.
    record BareResult(UUID id, int status) {}

    /// Writes one batch and commits it.
    private interface BatchWriter<T> {
        void write(Connection connection, List<T> items) throws SQLException, IOException;
    }

    private final LinkedBlockingQueue<BareEvent> arrived = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<BareResult> finished = new LinkedBlockingQueue<>();

    /// Drops any tables left over from an earlier run, and creates them again.
    BareStore() throws SQLException {
        try (var connection = connect();
                var statement = connection.createStatement()) {
            statement.execute(CREATE_TABLES_SQL);
            connection.commit();
        }
    }

    private static Connection connect() throws SQLException {
        var properties = new Properties();
        properties.setProperty(
                "user", requireNonNull(System.getenv(BarePipeline.DATABASE_USER_VARIABLE)));
        properties.setProperty(
                "password", requireNonNull(System.getenv(BarePipeline.DATABASE_PASSWORD_VARIABLE)));
        properties.setProperty("prepareThreshold", "1");
        // The relay also sets these options. Without `enable_seqscan=off`, the planner might scan
        // whole tables because they were empty when they were last analyzed.
        properties.setProperty(
                "options", "-c synchronous_commit=on -c jit=off -c enable_seqscan=off");
        var connection =
                DriverManager.getConnection(
                        requireNonNull(System.getenv(BarePipeline.DATABASE_URL_VARIABLE)),
                        properties);
        connection.setAutoCommit(false);
        return connection;
    }

    void start(Consumer<BareEvent> stored) throws SQLException {
        startWriter(
                "store",
                arrived,
                EVENT_PAUSE,
                connect(),
                (connection, items) -> {
                    insert(connection, items);
                    connection.commit();
                    items.forEach(event -> event.acknowledge.run());
                    items.forEach(stored);
                });
        startWriter(
                "finish",
                finished,
                RESULT_PAUSE,
                connect(),
                (connection, items) -> {
                    finish(connection, items);
                    connection.commit();
                });
    }

    void store(BareEvent event) {
        arrived.add(event);
    }

    void finish(BareResult result) {
        finished.add(result);
    }

    private static void insert(Connection connection, List<BareEvent> items)
            throws SQLException, IOException {
        var events = new BinaryCopyEncoder();
        var work = new BinaryCopyEncoder();
        for (var event : items) {
            events.row(4)
                    .uuid(event.id)
                    .text(event.contentType)
                    .bytes(event.headers)
                    .bytes(event.body);
            work.row(1).uuid(event.id);
        }
        copy(connection, "event", events);
        copy(connection, "work", work);
    }

    private static void finish(Connection connection, List<BareResult> items)
            throws SQLException, IOException {
        var ids = items.stream().map(BareResult::id).toArray(UUID[]::new);
        try (var statement =
                connection.prepareStatement("delete from bare.work where id = any (?)")) {
            statement.setArray(1, connection.createArrayOf("uuid", ids));
            statement.executeUpdate();
        }
        var rows = new BinaryCopyEncoder();
        for (var result : items) {
            rows.row(2).uuid(result.id()).int4(result.status());
        }
        copy(connection, "delivery", rows);
    }

    private static void copy(Connection connection, String table, BinaryCopyEncoder rows)
            throws SQLException, IOException {
        var _ =
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn(
                                "copy bare." + table + " from stdin (format binary)",
                                new ByteArrayInputStream(rows.toBytes()));
    }

    /// Starts a writer thread. If the thread fails, the whole process exits because there is
    /// nothing left to measure.
    private static <T> void startWriter(
            String name,
            LinkedBlockingQueue<T> queue,
            BatchPause pause,
            Connection connection,
            BatchWriter<T> writer) {
        Thread.ofPlatform()
                .daemon()
                .name(name)
                .start(() -> {
                    try {
                        var items = new ArrayList<T>(MAX_BATCH_SIZE);
                        while (true) {
                            items.add(queue.take());
                            queue.drainTo(items, MAX_BATCH_SIZE - 1);
                            writer.write(connection, items);
                            if (items.size() >= pause.minBatchSize()
                                    && queue.size() < NO_PAUSE_QUEUE_SIZE) {
                                Thread.sleep(pause.time());
                            }
                            items.clear();
                        }
                    } catch (SQLException
                            | IOException
                            | RuntimeException
                            | InterruptedException e) {
                        System.err.println("the bare pipeline cannot go on: " + e);
                        Runtime.getRuntime().halt(1);
                    }
                });
    }
}
