package dev.sluice.observe.deadletters;

import dev.sluice.observe.DeliveryStatusSql;
import dev.sluice.observe.IngestOrdinals;
import dev.sluice.observe.usage.PageLocator;
import dev.sluice.observe.usage.SourceWindow;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ResolvedSql;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Finds and counts finished deliveries on the given connections: dead letters, and also succeeded
/// and filtered deliveries. It searches only windows of time that are known to contain some.
///
/// Failed and exhausted deliveries are found through a partial index, and succeeded ones by primary
/// key. Deliveries that were filtered at ingest are read from the `filtered` column of their event,
/// and those filtered later through another partial index. Each statement names the sources.
///
/// @param connections at least one
/// @param includesAllConnections whether these are all connections of their sources; a query then
///   need not name the connections
record DeadLetterQueries(
        Set<DeliveryStatus> statuses, List<UUID> connections, boolean includesAllConnections) {

    /// The key of a delivery's row.
    ///
    /// @param hasRow whether the delivery has a row of its own; one that was filtered at ingest has
    ///   only that of its event
    record FinishedDeliveryKey(
            UUID source, UUID id, UUID connection, DeliveryStatus status, boolean hasRow) {}

    /// The failed deliveries on one connection that have the same error code and response status.
    ///
    /// @param example the id of the newest of these deliveries
    record ConnectionFailureGroup(
            UUID connection,
            Optional<Integer> code,
            Optional<Integer> responseStatus,
            long n,
            Instant first,
            Instant last,
            UUID example) {}

    /// The number of deliveries on one connection with one failure status.
    record ConnectionFailureCount(UUID connection, int status, long n) {}

    /// One branch of a `union all`: the rows of one kind within `span`, and the `order by` terms
    /// that list the newest first.
    private record UnionBranch(String rowsSql, String newestFirstOrder) {}

    long count(Tx tx, List<SourceWindow> windows) {
        var arguments = spanArguments(windows);
        var counts = new ArrayList<String>();
        for (var branch : branches()) {
            counts.add("select count(*) as n from (" + branch.rowsSql() + ") as one");
            addConnections(arguments);
        }
        return tx.single(
                "select coalesce(sum(n), 0) as n from unnest(?, ?, ?) as span (source_id, low,"
                        + " high), lateral ("
                        + String.join(" union all ", counts)
                        + ") as counted",
                row -> row.number("n"),
                arguments.toArray());
    }

    /// Returns the keys of the deliveries on this page, newest first.
    List<FinishedDeliveryKey> keys(Tx tx, PageLocator.PageLocation location) {
        var arguments = new ArrayList<Object>();
        return tx.query(keysSql(location, arguments), DeadLetterQueries::key, arguments.toArray());
    }

    /// Returns the keys of the deliveries at this location that match the filter's error code,
    /// response status and resolution, newest first.
    List<FinishedDeliveryKey> matches(
            Tx tx, PageLocator.PageLocation location, DeadLetterFilter filter) {
        var arguments = new ArrayList<Object>();
        String sql =
                "select page.* from "
                        + endedRowsSql(location, filter, arguments)
                        + " order by page.id desc";
        return tx.query(sql, DeadLetterQueries::key, arguments.toArray());
    }

    /// Returns the same deliveries as [#matches], grouped by error code and response status.
    List<ConnectionFailureGroup> failureGroups(
            Tx tx, PageLocator.PageLocation location, DeadLetterFilter filter) {
        var arguments = new ArrayList<Object>();
        return tx.query(
                """
                select connection_id, error_code, response_status, count(*) as n,
                       min(finished_at) as first, max(finished_at) as last,
                       (array_agg(page.id order by page.id desc))[1] as example
                  from
                """
                        + endedRowsSql(location, filter, arguments)
                        + " group by connection_id, error_code, response_status",
                row ->
                        new ConnectionFailureGroup(
                                row.uuid("connection_id"),
                                row.integerOrNone("error_code"),
                                row.integerOrNone("response_status"),
                                row.number("n"),
                                row.instant("first"),
                                row.instant("last"),
                                row.uuid("example")),
                arguments.toArray());
    }

    /// Counts the failed deliveries on each connection.
    ///
    /// @param windows at least one
    static List<ConnectionFailureCount> failureCounts(Tx tx, List<SourceWindow> windows) {
        return tx.query(
                """
                select found.connection_id, found.status, count(*) as n
                  from unnest(?, ?, ?) as span (source_id, low, high),
                       lateral (select connection_id, status
                                  from delivery
                                 where delivery.source_id = span.source_id and delivery.id >= span.low
                                   and delivery.id < span.high
                """
                        + " and "
                        + DeliveryStatusSql.in("delivery.status", DeliveryStatusSql.DEAD_STATUSES)
                        + """
                                       ) as found
                         group by found.connection_id, found.status
                        """,
                row ->
                        new ConnectionFailureCount(
                                row.uuid("connection_id"), row.integer("status"), row.number("n")),
                spanArguments(windows).toArray());
    }

    /// Returns the SQL that selects the deliveries at a location whose end matches the filter,
    /// joined with the data on how they ended.
    private String endedRowsSql(
            PageLocator.PageLocation location, DeadLetterFilter filter, List<Object> arguments) {
        var sql = new StringBuilder("(").append(keysSql(location, arguments));
        sql.append(
                """
                ) as page
                left join lateral (select delivery.error_code, delivery.response_status,
                                          delivery.finished_at
                                     from delivery
                                    where delivery.source_id = page.source_id
                                      and delivery.id = page.id
                                   offset 0) as ended on true
                """);
        filter.resolved().ifPresent(_ -> sql.append(ResolvedSql.JOIN));
        sql.append(" where true");
        filter.resolved()
                .ifPresent(isResolved ->
                        sql.append(isResolved ? " and " : " and not ")
                                .append(ResolvedSql.IS_RESOLVED));
        filter.code()
                .ifPresent(code -> {
                    sql.append(" and ended.error_code = ?");
                    arguments.add((int) code.number());
                });
        filter.responseStatus()
                .ifPresent(status -> {
                    sql.append(" and ended.response_status = ?");
                    arguments.add(status);
                });
        return sql.toString();
    }

    private String keysSql(PageLocator.PageLocation location, List<Object> arguments) {
        arguments.addAll(spanArguments(location.windows()));
        var found = new ArrayList<String>();
        for (var branch : branches()) {
            found.add(
                    "("
                            + branch.rowsSql()
                            + " order by "
                            + branch.newestFirstOrder()
                            + " limit ?)");
            addConnections(arguments);
            arguments.add(location.offset() + location.limit());
        }
        arguments.add(location.offset());
        arguments.add(location.limit());
        return "select found.id, found.source_id, found.connection_id, found.status, found.has_row"
                + " from unnest(?, ?, ?) as span (source_id, low, high), lateral ("
                + String.join(" union all ", found)
                + ") as found order by found.id desc offset ? limit ?";
    }

    private static List<Object> spanArguments(List<SourceWindow> windows) {
        return new ArrayList<>(
                List.of(
                        windows.stream().map(SourceWindow::source).toList(),
                        windows.stream().map(window -> window.ids().low()).toList(),
                        windows.stream().map(window -> window.ids().high()).toList()));
    }

    private void addConnections(List<Object> arguments) {
        if (!includesAllConnections) {
            arguments.add(connections);
        }
    }

    private List<UnionBranch> branches() {
        var branches = new ArrayList<UnionBranch>();
        var dead = DeliveryStatusSql.DEAD_STATUSES.stream().filter(statuses::contains).toList();
        if (!dead.isEmpty()) {
            branches.add(
                    deliveries(
                            DeliveryStatusSql.in("delivery.status", DeliveryStatusSql.DEAD_STATUSES)
                                    + " and "
                                    + DeliveryStatusSql.in("delivery.status", dead)));
        }
        if (statuses.contains(DeliveryStatus.SUCCEEDED)) {
            branches.add(
                    deliveries(
                            DeliveryStatusSql.in(
                                    "delivery.status", List.of(DeliveryStatus.SUCCEEDED))));
        }
        if (statuses.contains(DeliveryStatus.FILTERED)) {
            branches.add(filteredAtIngest());
            branches.add(
                    deliveries(
                            DeliveryStatusSql.equal("delivery.status", DeliveryStatus.FILTERED)));
        }
        return branches;
    }

    private UnionBranch deliveries(String condition) {
        return new UnionBranch(
                """
                select delivery.id, delivery.source_id, delivery.connection_id, delivery.status, true as has_row
                  from delivery
                 where delivery.source_id = span.source_id and delivery.id >= span.low and delivery.id < span.high
                """
                        + " and "
                        + condition
                        + (includesAllConnections ? "" : " and delivery.connection_id = any (?)"),
                "delivery.id desc");
    }

    /// Selects the deliveries that were filtered at ingest. Their ids follow from [IngestOrdinals].
    private UnionBranch filteredAtIngest() {
        return new UnionBranch(
                """
                select (left(event.id::text, 33)
                          || lpad(to_hex(%s + kept.number), 3, '0'))::uuid as id,
                       event.source_id, kept.connection_id, %s as status, false as has_row
                  from event, unnest(event.filtered) with ordinality as kept (connection_id, number)
                 where event.source_id = span.source_id and event.id >= span.low and event.id < span.high
                   and event.filtered is not null
                """
                                .formatted(
                                        IngestOrdinals.ROW_COUNT_SQL,
                                        DeliveryStatus.FILTERED.number())
                        + (includesAllConnections ? "" : " and kept.connection_id = any (?)"),
                "event.id desc, kept.number desc");
    }

    private static FinishedDeliveryKey key(Row row) throws SQLException {
        return new FinishedDeliveryKey(
                row.uuid("source_id"),
                row.uuid("id"),
                row.uuid("connection_id"),
                DeliveryStatus.fromNumber(row.integer("status")),
                row.bool("has_row"));
    }
}
