package dev.sluice.bench.scenario;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;

/// Writes a past into a relay's database, as if the events had come in over the days: partitions,
/// events with bodies of 100 bytes, deliveries of some of them, and all that is counted of them.
final class Past {

    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");

    /// Rows to one transaction.
    private static final int CHUNK = 500_000;

    private final Connection connection;

    Past(Connection connection) {
        this.connection = connection;
    }

    /// Days that events can have come in on, as the relay itself makes them.
    void makeDays(LocalDate from, LocalDate to) throws SQLException {
        for (var day = from; !day.isAfter(to); day = day.plusDays(1)) {
            for (String table : List.of("event", "delivery", "attempt")) {
                makeDay(table, table + "_" + NAME.format(day), day);
            }
        }
    }

    private void makeDay(String table, String name, LocalDate day) throws SQLException {
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
                        .formatted(table, name, floor(day), floor(day.plusDays(1))));
    }

    private static UUID floor(LocalDate day) {
        return new UUID(day.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli() << 16, 0);
    }

    /// Evenly from `from` to `to`, the sources taking turns. Of the events `rare` in a million
    /// failed and as many are verified, at odd places; the others are skipped. One event in a
    /// thousand is filtered.
    ///
    /// @param connections one of each source, in their order
    void addEvents(
            long events,
            List<UUID> sources,
            List<UUID> connections,
            Instant from,
            Instant to,
            int rare)
            throws SQLException {
        long span = to.toEpochMilli() - from.toEpochMilli();
        String sql =
                """
                insert into event (id, source_id, method, verification, fanout, filtered, body_size, content_type,
                                   headers, body)
                select (lpad(to_hex(?::bigint + (?::bigint * at) / ?::bigint), 12, '0') || '7'
                          || lpad(to_hex(at & 4095), 3, '0') || '8' || substr(hash, 1, 12) || '000')::uuid,
                       (?::uuid[])[1 + at % ?],
                       'POST',
                       case when chance < ? then 1 when chance < 2 * ? then 2 else 3 end,
                       case when hash < '004' then 1 else 0 end,
                       case when hash < '004' then array[(?::uuid[])[1 + at % ?]] end,
                       100, 'application/json',
                       convert_to(E'Content-Type: application/json\\r\\nUser-Agent: bench\\r\\n', 'UTF8'),
                       convert_to('{"n":"' || rpad(hash, 92, 'x') || '"}', 'UTF8')
                  from (select at, md5(at::text) as hash,
                               ('x' || substr(md5(at || 'chance'), 1, 7))::bit(28)::integer % 1000000 as chance
                          from generate_series(?::bigint, ?::bigint) as at) as numbered
                """;
        for (long at = 0; at < events; at += CHUNK) {
            try (var statement = connection.prepareStatement(sql)) {
                statement.setLong(1, from.toEpochMilli());
                statement.setLong(2, span);
                statement.setLong(3, events);
                statement.setArray(4, connection.createArrayOf("uuid", sources.toArray()));
                statement.setInt(5, sources.size());
                statement.setInt(6, rare);
                statement.setInt(7, rare);
                statement.setArray(8, connection.createArrayOf("uuid", connections.toArray()));
                statement.setInt(9, sources.size());
                statement.setLong(10, at);
                statement.setLong(11, Math.min(events, at + CHUNK) - 1);
                statement.executeUpdate();
            }
        }
    }

    /// Of the day's events that were not filtered, one in ten was delivered, one in ten was not: of
    /// these one in ten was exhausted, the others failed in several ways.
    void addDeliveries(LocalDate day) throws SQLException {
        String name = "event_" + NAME.format(day);
        run(
                """
                insert into delivery (id, finished_at, attempted_at, source_id, connection_id, revision,
                                      latency_ms, status, trigger, attempts, response_status, error_code)
                select (substr(chosen.id::text, 1, 33) || '001')::uuid, now(), now(), chosen.source_id, connection.id,
                       destination.revision, 12,
                       case when chance = 0 then 5 when chance < 10 then 4 else 3 end, 1, 1,
                       case when chance < 3 then null when chance < 6 then 503 when chance < 10 then 410 else 200 end,
                       case when chance < 3 then chance + 1 when chance < 10 then 9 end
                  from (select id, source_id, ('x' || substr(md5(id::text), 1, 7))::bit(28)::integer %% 100 as chance
                          from %s
                         where filtered is null) as chosen
                  join connection on connection.source_id = chosen.source_id
                  join destination on destination.id = connection.destination_id
                 where chance < 20
                """
                        .formatted(name));
    }

    /// Counts everything anew, as the relay has counted it.
    void count() throws SQLException {
        run("truncate ledger, rollup_hour, rollup_day, total");
        run(
                """
                insert into rollup_hour (kind, key, hour, dim, n, size, minutes)
                select 1, source_id, hour, verification, sum(n), sum(size),
                       array(select coalesce((array_agg(n))[array_position(array_agg(minute), m)], 0)
                               from generate_series(0, 59) as m order by m)
                  from (select source_id, verification, (since / 60)::integer as hour,
                               (since % 60)::integer as minute, count(*)::integer as n, sum(body_size) as size
                          from (select source_id, verification, body_size,
                                       ('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 60000 as since
                                  from event) as timed
                         group by source_id, verification, since) as by_minute
                 group by source_id, hour, verification
                """);
        run(
                """
                insert into rollup_hour (kind, key, hour, dim, n, size)
                select kind, connection_id, hour, dim, count(*), 0
                  from (select connection_id, status, trigger,
                               (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer as hour
                          from delivery
                        union all
                        select unnest(filtered), 6, null,
                               (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer
                          from event
                         where filtered is not null) as timed,
                       lateral (values (2, status), (3, trigger)) as counted (kind, dim)
                 where dim is not null
                 group by kind, connection_id, hour, dim
                """);
        run(
                """
                insert into rollup_day (kind, key, day, dim, n, size)
                select kind, key, hour / 24, dim, sum(n), sum(size) from rollup_hour group by 1, 2, 3, 4
                """);
        run(
                """
                insert into total (kind, key, dim, n, size)
                select kind, key, dim, sum(n), sum(size) from rollup_day group by 1, 2, 3
                """);
    }

    /// As autovacuum would have done by now.
    void settle() throws SQLException {
        run("vacuum analyze");
        run("checkpoint");
    }

    /// The id of an event about that far through the past of its source.
    UUID someEvent(UUID source, Instant at) throws SQLException {
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

    private void run(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
