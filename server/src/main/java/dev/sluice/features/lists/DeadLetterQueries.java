package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryStatusSql;
import dev.sluice.history.counts.PageLocator;
import dev.sluice.history.counts.SourceWindow;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Counts dead letters (failed and exhausted deliveries), grouped by connection, error code and
/// response status, or by connection and delivery status.
final class DeadLetterQueries {

    /// One connection's dead letters that have the same error code and response status.
    ///
    /// @param code the number of the error code
    /// @param n the number of these dead letters
    /// @param first when the first of these deliveries ended
    /// @param last when the last of these deliveries ended
    /// @param example the id of the newest of these deliveries
    record ConnectionFailureGroup(
            UUID connection,
            Optional<Integer> code,
            Optional<Integer> responseStatus,
            long n,
            Instant first,
            Instant last,
            UUID example) {}

    /// The groups of dead letters found at one location, which is part of a list.
    ///
    /// @param scannedCount the number of deliveries that were compared with the filter
    /// @param last the oldest of the scanned deliveries; empty if fewer deliveries were scanned
    ///   than the location's limit allows
    record LocationGroups(
            List<ConnectionFailureGroup> groups, long scannedCount, Optional<UUID> last) {}

    /// The number of one connection's dead letters that have the same delivery status.
    record ConnectionFailureCount(UUID connection, int status, long n) {}

    private DeadLetterQueries() {}

    /// Finds the deliveries at this location that match the filter, and groups them by connection,
    /// error code and response status.
    ///
    /// @param keys builds the SQL that selects the deliveries at the location
    static LocationGroups failureGroups(
            Tx tx,
            PageLocator.PageLocation location,
            DeliveryKeyQueries keys,
            DeliveryFilter filter) {
        if (location.windows().isEmpty()) {
            return new LocationGroups(List.of(), 0, Optional.empty());
        }
        var arguments = new ArrayList<Object>();
        String page = keys.pageSql(location, arguments);
        String matches = keys.matchSql(filter, arguments);
        arguments.add(location.limit() - 1);
        var groups = new ArrayList<ConnectionFailureGroup>();
        return tx.query(
                        "with page as materialized ("
                                + page
                                + """
                                ), grouped as (
                                  select connection_id, ended.error_code, ended.response_status, count(*) as n,
                                         min(ended.finished_at) as first, max(ended.finished_at) as last,
                                         (array_agg(page.id order by page.id desc))[1] as example
                                    from
                                """
                                + matches
                                + """
                                   group by connection_id, ended.error_code, ended.response_status
                                )
                                select grouped.*, (select count(*) from page) as scanned,
                                       (select id from page order by id desc offset ? limit 1) as last_scanned
                                  from (values (1)) as one_row (one)
                                  left join grouped on true
                                """,
                        row -> {
                            if (!row.isNull("connection_id")) {
                                groups.add(group(row));
                            }
                            return new LocationGroups(
                                    groups,
                                    row.number("scanned"),
                                    row.isNull("last_scanned")
                                            ? Optional.empty()
                                            : Optional.of(row.uuid("last_scanned")));
                        },
                        arguments.toArray())
                .getLast();
    }

    private static ConnectionFailureGroup group(Row row) throws SQLException {
        return new ConnectionFailureGroup(
                row.uuid("connection_id"),
                row.integerOrNone("error_code"),
                row.integerOrNone("response_status"),
                row.number("n"),
                row.instant("first"),
                row.instant("last"),
                row.uuid("example"));
    }

    /// Counts the dead letters in these windows by connection and delivery status.
    ///
    /// @param windows ranges of delivery ids, each within one source; at least one
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
                windows.stream().map(SourceWindow::source).toList(),
                windows.stream().map(window -> window.ids().low()).toList(),
                windows.stream().map(window -> window.ids().high()).toList());
    }
}
