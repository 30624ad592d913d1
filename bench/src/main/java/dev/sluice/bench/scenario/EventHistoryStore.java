package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.TextResource;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;

/// Writes a history of past events directly into a relay's database. The history consists of
/// partitions, events with 100-byte bodies, deliveries, and all counts.
///
/// Uses the given connection and does not close it.
public final class EventHistoryStore {

    private static final DateTimeFormatter PARTITION_DATE = DateTimeFormatter.ofPattern("uuuuMMdd");

    /// The number of events that are inserted in one transaction.
    private static final int EVENTS_PER_TRANSACTION = 500_000;

    /// The number of equally likely outcomes from which `insert_deliveries` chooses one per event.
    /// The first `DEAD_OUTCOMES` of them are dead letters.
    private static final int ALL_OUTCOMES = 100;

    private static final int DEAD_OUTCOMES = 10;

    /// An event is filtered if its hash, in hex, is less than this string. With `SOME_FILTERED`,
    /// that is true for about one event in a thousand; with `NONE_FILTERED`, it is true for none.
    private static final String SOME_FILTERED = "004";

    private static final String NONE_FILTERED = "";

    private final Connection connection;

    public EventHistoryStore(Connection connection) {
        this.connection = connection;
    }

    /// Writes a history in which every delivery is a dead letter, with one delivery for each
    /// connection of the event's source. About 30 % got no response (10 % exhausted, 20 % failed),
    /// 30 % got 503, and 40 % got 410. All deliveries of the same event end in the same way. Also
    /// rebuilds all counts, vacuums the database and forces a checkpoint.
    ///
    /// The database must have no other events, and no relay may store events in the meantime.
    ///
    /// @param connectionsOfEach the number of connections that every source has
    public void writeDeadLetters(
            long events, List<UUID> sources, int connectionsOfEach, Instant from, Instant to)
            throws SQLException {
        var first = from.atOffset(ZoneOffset.UTC).toLocalDate();
        var last = to.atOffset(ZoneOffset.UTC).toLocalDate();
        createPartitions(first, last);
        addEvents(events, sources, sources, from, to, 0, connectionsOfEach, NONE_FILTERED);
        for (var day = first; !day.isAfter(last); day = day.plusDays(1)) {
            run(sql("insert_deliveries").formatted(DEAD_OUTCOMES, partition("event", day)));
        }
        rebuildCounts();
        vacuumAndCheckpoint();
    }

    /// Creates the partitions for these days, as the relay would, unless they already exist.
    void createPartitions(LocalDate from, LocalDate to) throws SQLException {
        for (var day = from; !day.isAfter(to); day = day.plusDays(1)) {
            for (String table : List.of("event", "delivery", "attempt")) {
                createPartition(table, partition(table, day), day);
            }
        }
    }

    private void createPartition(String table, String name, LocalDate day) throws SQLException {
        try (var exists = connection.prepareStatement("select to_regclass(?) is not null")) {
            exists.setString(1, name);
            try (var answer = exists.executeQuery()) {
                answer.next();
                if (answer.getBoolean(1)) {
                    return;
                }
            }
        }
        run("create table %s (like %s including all)".formatted(name, table));
        if (table.equals("event")) {
            run("alter table %s set (toast_tuple_target = 4080)".formatted(name));
        }
        run(
                "alter table %s attach partition %s for values from ('%s') to ('%s')"
                        .formatted(table, name, minId(day), minId(day.plusDays(1))));
    }

    private static String partition(String table, LocalDate day) {
        return table + "_" + PARTITION_DATE.format(day);
    }

    private static UUID minId(LocalDate day) {
        return new UUID(day.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli() << 16, 0);
    }

    /// Adds events at even intervals between `from` and `to`, rotating through the sources. About
    /// `rare` events per million fail verification, and the same number pass it; the others are not
    /// verified. About one event in a thousand is filtered.
    ///
    /// @param connections one connection for each source, in the same order as the sources
    void addEvents(
            long events,
            List<UUID> sources,
            List<UUID> connections,
            Instant from,
            Instant to,
            int rare)
            throws SQLException {
        addEvents(events, sources, connections, from, to, rare, 0, SOME_FILTERED);
    }

    /// @param fanout the number of deliveries for each event that is not filtered
    /// @param filteredBelow events whose hash is less than this string are filtered
    private void addEvents(
            long events,
            List<UUID> sources,
            List<UUID> connections,
            Instant from,
            Instant to,
            int rare,
            int fanout,
            String filteredBelow)
            throws SQLException {
        long span = to.toEpochMilli() - from.toEpochMilli();
        String sql = sql("insert_events");
        for (long at = 0; at < events; at += EVENTS_PER_TRANSACTION) {
            try (var statement = connection.prepareStatement(sql)) {
                var arguments =
                        List.of(
                                from.toEpochMilli(),
                                span,
                                events,
                                connection.createArrayOf("uuid", sources.toArray()),
                                sources.size(),
                                rare,
                                rare,
                                filteredBelow,
                                fanout,
                                filteredBelow,
                                connection.createArrayOf("uuid", connections.toArray()),
                                connections.size(),
                                at,
                                Math.min(events, at + EVENTS_PER_TRANSACTION) - 1);
                for (int i = 0; i < arguments.size(); i++) {
                    statement.setObject(i + 1, arguments.get(i));
                }
                statement.executeUpdate();
            }
        }
    }

    /// Adds deliveries for about a fifth of the day's unfiltered events. For one event in ten, the
    /// delivery succeeded. For another one in ten, it is a dead letter: a tenth of these are
    /// exhausted, and the others failed in several ways. For one event in a hundred, the delivery
    /// is not due until tomorrow.
    void addDeliveries(LocalDate day) throws SQLException {
        run(sql("insert_deliveries").formatted(ALL_OUTCOMES, partition("event", day)));
        run(sql("insert_work").formatted(partition("event", day)));
    }

    /// Dismisses half of all dead letters, and adds a successful resend for one dead letter in
    /// sixteen.
    void resolveDeadLetters() throws SQLException {
        run(sql("insert_dismissals"));
        run(sql("insert_resends"));
    }

    /// Recomputes all counts by the rules that the relay follows.
    void rebuildCounts() throws SQLException {
        run("truncate ledger, rollup_hour, rollup_day, total");
        run(sql("count_events_by_hour"));
        run(sql("count_deliveries_by_hour"));
        run(sql("count_by_day"));
        run(sql("count_totals"));
    }

    /// Vacuums the tables and forces a checkpoint. In a database with a real history, PostgreSQL
    /// would have done both by now.
    void vacuumAndCheckpoint() throws SQLException {
        run("vacuum analyze");
        run("checkpoint");
    }

    /// Returns the id of the source's first event that arrived at or after this time.
    UUID findEvent(UUID source, Instant at) throws SQLException {
        try (var statement =
                connection.prepareStatement(
                        "select id from event where source_id = ? and id >= ? order by id limit"
                                + " 1")) {
            statement.setObject(1, source);
            statement.setObject(2, new UUID(at.toEpochMilli() << 16, 0));
            try (var rows = statement.executeQuery()) {
                rows.next();
                return rows.getObject(1, UUID.class);
            }
        }
    }

    /// Returns the statement with this name in the resource `event-history.sql`.
    private static String sql(String name) {
        String all = TextResource.read(EventHistoryStore.class, "event-history.sql");
        int from = all.indexOf("-- " + name + "\n");
        return all.substring(from, all.indexOf("\n\n", from));
    }

    private void run(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
