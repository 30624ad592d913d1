package dev.sluice.bench.bare;

import static java.util.Objects.requireNonNull;

import org.postgresql.PGConnection;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.Array;
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
import java.util.function.Function;

/// A thread, or more, that stores what came in, and one that writes down what was delivered, with a
/// connection each. Each takes all that is queued into one transaction.
final class BareStore {

    private static final int MOST = 512;
    private static final int ENOUGH = 64;

    /// Between two batches, unless enough is queued. As in the relay.
    ///
    /// @param company after a batch of so many
    private record Rest(int company, Duration time) {}

    private static final Rest OF_EVENTS = new Rest(8, Duration.ofMillis(2));
    private static final Rest OF_RESULTS = new Rest(1, Duration.ofMillis(4));

    private static final String TABLES =
            """
            drop schema if exists bare_schema cascade;
            create schema bare_schema;
            create table bare_schema.event (
              id uuid primary key, content_type text, headers bytea, body bytea);
            create table bare_schema.work (id uuid primary key);
            create table bare_schema.delivery (id uuid primary key, status int)
            """;

    /// What became of an event.
    record Finished(UUID id, int status) {}

    /// One batch, in a transaction that is open already.
    private interface Batch<T> {
        void write(Connection connection, List<T> items) throws SQLException, IOException;
    }

    private final LinkedBlockingQueue<Item> arrived = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Finished> finished = new LinkedBlockingQueue<>();

    private final String schema;
    private final BareVariant variant;

    private BareStore(String schema, BareVariant variant) {
        this.schema = schema;
        this.variant = variant;
    }

    /// @param schema is made anew
    static BareStore open(String schema, BareVariant variant) throws SQLException {
        try (var connection = connect(variant);
                var statement = connection.createStatement()) {
            statement.execute(TABLES.replace("bare_schema", schema));
            connection.commit();
        }
        return new BareStore(schema, variant);
    }

    private static Connection connect(BareVariant variant) throws SQLException {
        var properties = new Properties();
        properties.setProperty("user", requireNonNull(System.getenv(BarePipeline.USER)));
        properties.setProperty("password", requireNonNull(System.getenv(BarePipeline.PASSWORD)));
        properties.setProperty("prepareThreshold", variant.prepares() ? "1" : "0");
        // As the relay's: a table that was empty when it was last counted must not be read whole.
        properties.setProperty(
                "options", "-c synchronous_commit=on -c jit=off -c enable_seqscan=off");
        var connection =
                DriverManager.getConnection(
                        requireNonNull(System.getenv(BarePipeline.URL)), properties);
        connection.setAutoCommit(false);
        return connection;
    }

    void start(Consumer<Item> stored) throws SQLException {
        for (int committer = 0; committer < variant.committers(); committer++) {
            run(
                    "store",
                    arrived,
                    OF_EVENTS,
                    connect(variant),
                    (connection, items) -> {
                        insert(connection, items);
                        connection.commit();
                        items.forEach(item -> item.answer.run());
                        items.forEach(stored);
                    });
        }
        run(
                "finish",
                finished,
                OF_RESULTS,
                connect(variant),
                (connection, items) -> {
                    finish(connection, items);
                    connection.commit();
                });
    }

    void store(Item item) {
        arrived.add(item);
    }

    void finish(Finished item) {
        finished.add(item);
    }

    private void insert(Connection connection, List<Item> items) throws SQLException, IOException {
        switch (variant.form()) {
            case COPY -> insertByCopy(connection, items);
            case UNNEST -> insertByUnnest(connection, items);
        }
    }

    private void insertByCopy(Connection connection, List<Item> items)
            throws SQLException, IOException {
        var events = new BinaryRows();
        var work = new BinaryRows();
        for (var item : items) {
            events.row(4).uuid(item.id).text(item.contentType).bytes(item.headers).bytes(item.body);
            work.row(1).uuid(item.id);
        }
        copy(connection, "event", events);
        copy(connection, "work", work);
    }

    private void insertByUnnest(Connection connection, List<Item> items) throws SQLException {
        var ids =
                connection.createArrayOf(
                        "uuid", items.stream().map(item -> item.id).toArray(UUID[]::new));
        try (var events =
                        connection.prepareStatement(
                                "insert into "
                                        + schema
                                        + ".event select * from unnest(?, ?::text[], ?, ?)");
                var work =
                        connection.prepareStatement(
                                "insert into " + schema + ".work select unnest(?)")) {
            events.setArray(1, ids);
            events.setArray(
                    2,
                    connection.createArrayOf(
                            "text",
                            items.stream().map(item -> item.contentType).toArray(String[]::new)));
            events.setArray(3, bytes(connection, items, item -> item.headers));
            events.setArray(4, bytes(connection, items, item -> item.body));
            events.executeUpdate();
            work.setArray(1, ids);
            work.executeUpdate();
        }
    }

    private static Array bytes(Connection connection, List<Item> items, Function<Item, byte[]> part)
            throws SQLException {
        return connection.createArrayOf("bytea", items.stream().map(part).toArray(byte[][]::new));
    }

    private void finish(Connection connection, List<Finished> items)
            throws SQLException, IOException {
        var ids = items.stream().map(Finished::id).toArray(UUID[]::new);
        try (var statement =
                connection.prepareStatement("delete from " + schema + ".work where id = any (?)")) {
            statement.setArray(1, connection.createArrayOf("uuid", ids));
            statement.executeUpdate();
        }
        var rows = new BinaryRows();
        for (var item : items) {
            rows.row(2).uuid(item.id()).int4(item.status());
        }
        copy(connection, "delivery", rows);
    }

    private void copy(Connection connection, String table, BinaryRows rows)
            throws SQLException, IOException {
        var _ =
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn(
                                "copy " + schema + "." + table + " from stdin (format binary)",
                                new ByteArrayInputStream(rows.end()));
    }

    /// A failure ends the process: there is nothing to measure then.
    private <T> void run(
            String name,
            LinkedBlockingQueue<T> queue,
            Rest rest,
            Connection connection,
            Batch<T> batch) {
        Thread.ofPlatform()
                .daemon()
                .name(name)
                .start(() -> {
                    try {
                        var items = new ArrayList<T>(MOST);
                        while (true) {
                            items.add(queue.take());
                            queue.drainTo(items, MOST - 1);
                            batch.write(connection, items);
                            if (variant.rests()
                                    && items.size() >= rest.company()
                                    && queue.size() < ENOUGH) {
                                Thread.sleep(rest.time());
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
