package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.DeliveryStatusSql;
import dev.sluice.engine.ResolvedSql;
import dev.sluice.history.DeliveryInProgress;
import dev.sluice.history.EventIdPattern.IdSubstring;
import dev.sluice.history.IngestOrdinals;
import dev.sluice.history.counts.ListPager.ScanStep;
import dev.sluice.history.counts.PageLocator;
import dev.sluice.history.counts.SourceWindow;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/// Finds and counts the deliveries on a scope's connections, within the time windows
/// ([SourceWindow]) that the caller chooses.
///
/// Failed, exhausted and filtered deliveries are found through partial indexes whose first column
/// is the source. There is no such index for succeeded and unfinished deliveries.
///
/// To list succeeded and unfinished deliveries, the query goes through each source's events, so the
/// cost does not depend on other workspaces' events. To count them, the query reads them by primary
/// key, whose first column is the id. A count covers at most two hours and reads the windows of all
/// sources together. If succeeded deliveries are wanted, other wanted deliveries that are finished
/// and have a row are found in the same way rather than through the partial indexes.
///
/// @param statuses at least one status, and either both or neither of `pending` and `delivering`
/// @param statusOf tells whether an unfinished delivery is pending or is being sent
public record DeliveryKeyQueries(
        Set<DeliveryStatus> statuses, DeliveryScope scope, UnfinishedStatus statusOf) {

    /// Tells whether an unfinished delivery is `pending` or `delivering`.
    @FunctionalInterface
    public interface UnfinishedStatus {
        DeliveryStatus of(DeliveryInProgress delivery);
    }

    /// One branch of a `union all`. It has the SQL that selects one kind of row within a window,
    /// and the `order by` terms that put the newest rows first.
    ///
    /// @param isSubtracted whether to subtract the number of these rows from the total, because
    ///   another branch counts them even though they are not wanted
    /// @param arguments the arguments of `rowsSql`
    private record UnionBranch(
            String rowsSql, String newestFirstOrder, boolean isSubtracted, List<Object> arguments) {

        UnionBranch(String rowsSql, String newestFirstOrder, List<Object> arguments) {
            this(rowsSql, newestFirstOrder, false, arguments);
        }

        String countSql() {
            return "select %scount(*) as n from (%s) as counted"
                    .formatted(isSubtracted ? "-" : "", rowsSql);
        }
    }

    /// Branches that all read the same windows.
    ///
    /// @param windowsSql the `from` item that lists the windows
    /// @param windowArguments the arguments of `windowsSql`
    private record WindowedBranches(
            String windowsSql, List<Object> windowArguments, List<UnionBranch> branches) {

        /// Returns the SQL for the `union all`, and adds its arguments to `arguments`.
        ///
        /// @param branchSql returns the SQL to use for a branch
        /// @param more arguments to add after each branch's arguments
        private String sql(
                String columns,
                Function<UnionBranch, String> branchSql,
                List<Object> more,
                List<Object> arguments) {
            arguments.addAll(windowArguments);
            var parts = new ArrayList<String>();
            for (var branch : branches) {
                parts.add(branchSql.apply(branch));
                arguments.addAll(branch.arguments());
                arguments.addAll(more);
            }
            return "select "
                    + columns
                    + " from "
                    + windowsSql
                    + ", lateral ("
                    + String.join(" union all ", parts)
                    + ") as one";
        }
    }

    /// The deliveries in `page` that have not been dismissed. Dismissed deliveries are removed
    /// before the joins, so each of them costs only one index lookup.
    private static final String NOT_DISMISSED =
            "(select page.* from page where not ("
                    + ResolvedSql.IS_DISMISSED
                    + ") offset 0) as page";

    private static final String ENDED_JOIN =
            """
             left join lateral (select delivery.error_code, delivery.response_status,
                                       delivery.finished_at
                                  from delivery
                                 where delivery.source_id = page.source_id
                                   and delivery.id = page.id
                                offset 0) as ended on true
            """;

    private static final String LAST_ATTEMPT_JOIN =
            """
             left join lateral (select delivery.error_code, delivery.response_status
                                  from delivery
                                 where page.status > %1$d
                                   and delivery.source_id = page.source_id
                                   and delivery.id = page.id
                                union all
                               (select attempt.error_code, attempt.response_status
                                  from attempt
                                 where page.status <= %1$d
                                   and attempt.source_id = page.source_id
                                   and attempt.delivery_id = page.id
                                 order by attempt.number desc
                                 limit 1)) as ended on true
            """
                    .formatted(DeliveryStatus.DELIVERING.number());

    private static final String FILTERED_ID =
            "(left(event.id::text, 33) || lpad(to_hex(%s + kept.number), 3, '0'))::uuid"
                    .formatted(IngestOrdinals.ROW_COUNT_SQL);

    private static final String LAST_ID_OF_EVENT = "(left(event.id::text, 33) || 'fff')::uuid";

    /// Selects the events that may have deliveries in a window. If the window begins between two
    /// deliveries of an event, that event is included.
    private static final String EVENT_IN_WINDOW =
            """
            event.source_id = span.source_id
                   and event.id >= (left(span.low::text, 33) || '000')::uuid and event.id < span.high\
            """;

    private static final String FINISHED_OF_EVENT =
            """
            select delivery.id, delivery.connection_id, delivery.status::integer as status,
                   null::bigint as owner, null::timestamptz as created_at
              from delivery
             where delivery.id > event.id and delivery.id <= %s
               and delivery.source_id = event.source_id
            """
                    .formatted(LAST_ID_OF_EVENT);

    private static final String UNFINISHED_OF_EVENT =
            """
            select work.id, work.connection_id, %d as status, work.owner, work.created_at
              from delivery_work as work
             where work.id > event.id and work.id <= %s
               and work.source_id = event.source_id
            """
                    .formatted(DeliveryStatus.PENDING.number(), LAST_ID_OF_EVENT);

    private static final Set<DeliveryStatus> FINAL_STATUSES =
            EnumSet.range(DeliveryStatus.SUCCEEDED, DeliveryStatus.FILTERED);

    /// Returns how many deliveries in these windows belong to the scope and have one of the
    /// statuses.
    ///
    /// @param windows must contain at least one window
    long count(Tx tx, List<SourceWindow> windows) {
        var arguments = new ArrayList<Object>();
        String counts =
                unionSql(
                        List.of(bySource(windows, false), byTime(windows)),
                        "one.n",
                        UnionBranch::countSql,
                        List.of(),
                        arguments);
        return tx.single(
                "select coalesce(sum(n), 0) as n from (" + counts + ") as counts",
                row -> row.number("n"),
                arguments.toArray());
    }

    /// Returns the keys of the deliveries on this page, newest first.
    List<DeliveryKey> keys(Tx tx, PageLocator.PageLocation location) {
        if (location.windows().isEmpty()) {
            return List.of();
        }
        var arguments = new ArrayList<Object>();
        return tx.query(pageSql(location, arguments), this::key, arguments.toArray());
    }

    /// Returns the keys of the deliveries at this location that match the filter, newest first, and
    /// the id of the last scanned delivery.
    ///
    /// @param text text that the id must contain
    ScanStep<DeliveryKey> scan(
            Tx tx,
            PageLocator.PageLocation location,
            DeliveryFilter filter,
            Optional<IdSubstring> text) {
        if (location.windows().isEmpty()) {
            return new ScanStep<>(List.of(), Optional.empty());
        }
        var arguments = new ArrayList<Object>();
        String sql =
                "with page as materialized ("
                        + pageSql(location, arguments)
                        + ") select page.*, false as is_last from "
                        + matchSql(filter, arguments)
                        + textSql(text, arguments)
                        + " union all (select page.*, true from page order by page.id desc offset ?"
                        + " limit 1) order by is_last, id desc";
        arguments.add(location.limit() - 1);
        var matches = new ArrayList<DeliveryKey>();
        var last = new ArrayList<UUID>();
        tx.query(
                sql,
                row -> {
                    var key = key(row);
                    if (row.bool("is_last")) {
                        last.add(key.id());
                    } else if (filter.statuses().contains(key.status())) {
                        matches.add(key);
                    }
                    return true;
                },
                arguments.toArray());
        return new ScanStep<>(matches, last.stream().findFirst());
    }

    private static String textSql(Optional<IdSubstring> text, List<Object> arguments) {
        if (text.isEmpty()) {
            return "";
        }
        arguments.add(text.get().isHyphenated() ? "" : "-");
        arguments.add("%" + text.get().text() + "%");
        return " and translate(page.id::text, ?, '') like ?";
    }

    /// Returns the SQL that follows `from`, and adds its arguments to `arguments`. The SQL joins
    /// `ended`, the data about each delivery's last attempt, to the rows of `page`. It keeps only
    /// the deliveries that match the filter's error code, response status and resolution.
    public String matchSql(DeliveryFilter filter, List<Object> arguments) {
        var sql = new StringBuilder(filter.wantsUnresolved() ? NOT_DISMISSED : "page");
        sql.append(filter.wantsUnfinished() ? LAST_ATTEMPT_JOIN : ENDED_JOIN);
        filter.resolved().ifPresent(_ -> sql.append(ResolvedSql.JOIN));
        sql.append(" where true");
        filter.resolved()
                .ifPresent(isResolved ->
                        sql.append(
                                isResolved
                                        ? " and " + ResolvedSql.IS_RESOLVED
                                        : " and not " + ResolvedSql.HAS_SUCCEEDED));
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

    /// Returns the SQL that selects the deliveries on a page, newest first, and adds its arguments
    /// to `arguments`.
    ///
    /// If there is only one branch and one window, the rows are read in index order, and the rows
    /// before the page are skipped on the way. Otherwise, the rows before the page are sorted
    /// together with the page's rows.
    ///
    /// @param location must have at least one window
    public String pageSql(PageLocator.PageLocation location, List<Object> arguments) {
        var branches = bySource(location.windows(), true);
        boolean isSorted = location.windows().size() == 1 && branches.branches().size() == 1;
        long skippedByBranch = isSorted ? location.offset() : 0;
        long skippedLater = location.offset() - skippedByBranch;
        String found =
                unionSql(
                        List.of(branches),
                        "one.*",
                        branch ->
                                "("
                                        + branch.rowsSql()
                                        + " order by "
                                        + branch.newestFirstOrder()
                                        + " offset ? limit ?)",
                        List.of(skippedByBranch, skippedLater + location.limit()),
                        arguments);
        arguments.add(skippedLater);
        arguments.add(location.limit());
        return "select found.* from ("
                + found
                + ") as found order by found.id desc offset ? limit ?";
    }

    private static String unionSql(
            List<WindowedBranches> all,
            String columns,
            Function<UnionBranch, String> branchSql,
            List<Object> more,
            List<Object> arguments) {
        var parts = new ArrayList<String>();
        for (var windowed : all) {
            if (!windowed.branches().isEmpty()) {
                parts.add(windowed.sql(columns, branchSql, more, arguments));
            }
        }
        return String.join(" union all ", parts);
    }

    /// Returns the branches that use an index whose first column is the source.
    ///
    /// @param withEvents whether to include the branches that find deliveries through their events
    private WindowedBranches bySource(List<SourceWindow> windows, boolean withEvents) {
        var branches = new ArrayList<UnionBranch>();
        if (withEvents
                && (statuses.contains(DeliveryStatus.SUCCEEDED)
                        || statuses.contains(DeliveryStatus.PENDING))) {
            branches.add(ofEvents());
        }
        var dead = DeliveryStatusSql.DEAD_STATUSES.stream().filter(statuses::contains).toList();
        if (!dead.isEmpty() && !statuses.contains(DeliveryStatus.SUCCEEDED)) {
            branches.add(
                    indexed(
                            DeliveryStatusSql.in("delivery.status", DeliveryStatusSql.DEAD_STATUSES)
                                    + " and "
                                    + DeliveryStatusSql.in("delivery.status", dead)));
        }
        if (statuses.contains(DeliveryStatus.FILTERED)) {
            branches.add(filteredAtIngest());
            if (!statuses.contains(DeliveryStatus.SUCCEEDED)) {
                branches.add(
                        indexed(
                                DeliveryStatusSql.equal(
                                        "delivery.status", DeliveryStatus.FILTERED)));
            }
        }
        if (windows.size() == 1) {
            // A single window is passed as scalar parameters instead of arrays for `unnest`. The
            // planner then knows the bounds, can skip the partitions of other days, and can read
            // the rows in index order instead of sorting all rows in the window.
            var window = windows.getFirst();
            return new WindowedBranches(
                    "(select ?::uuid as source_id, ?::uuid as low, ?::uuid as high) as span",
                    List.of(window.source(), window.ids().low(), window.ids().high()),
                    branches);
        }
        return new WindowedBranches(
                "unnest(?, ?, ?) as span (source_id, low, high)",
                List.of(
                        windows.stream().map(SourceWindow::source).toList(),
                        windows.stream().map(window -> window.ids().low()).toList(),
                        windows.stream().map(window -> window.ids().high()).toList()),
                branches);
    }

    /// Returns the branches that use the primary key, whose first column is the id.
    private WindowedBranches byTime(List<SourceWindow> windows) {
        var sources = windows.stream().map(SourceWindow::source).distinct().toList();
        var branches = new ArrayList<UnionBranch>();
        if (statuses.contains(DeliveryStatus.SUCCEEDED)) {
            branches.addAll(
                    scope.includesAllConnections()
                            ? finishedLessUnwanted(sources)
                            : List.of(finished(sources)));
        }
        if (statuses.contains(DeliveryStatus.PENDING)) {
            branches.add(unfinished(sources));
        }
        var periods = periods(windows);
        return new WindowedBranches(
                "unnest(?, ?) as span (low, high)",
                List.of(
                        periods.stream().map(IdRange::low).toList(),
                        periods.stream().map(IdRange::high).toList()),
                branches);
    }

    /// Returns the id ranges that the windows cover, merged so that none of them overlap.
    private static List<IdRange> periods(List<SourceWindow> windows) {
        var sorted =
                windows.stream()
                        .map(SourceWindow::ids)
                        .sorted(Comparator.comparing(IdRange::low, Uuid7.UNSIGNED_ORDER))
                        .toList();
        var periods = new ArrayList<IdRange>();
        for (var ids : sorted) {
            if (!periods.isEmpty()
                    && Uuid7.UNSIGNED_ORDER.compare(ids.low(), periods.getLast().high()) <= 0) {
                var previous = periods.removeLast();
                periods.add(new IdRange(previous.low(), Uuid7.max(previous.high(), ids.high())));
            } else {
                periods.add(ids);
            }
        }
        return periods;
    }

    private UnionBranch indexed(String condition) {
        return new UnionBranch(
                """
                select delivery.id, delivery.source_id, delivery.connection_id, delivery.status::integer as status,
                       true as has_row, null::bigint as owner, null::timestamptz as created_at
                  from delivery
                 where delivery.source_id = span.source_id and delivery.id >= span.low and delivery.id < span.high
                """
                        + " and "
                        + condition
                        + onConnections("delivery.connection_id"),
                "delivery.id desc",
                connectionArguments());
    }

    /// Selects the finished deliveries with one of the wanted statuses.
    private UnionBranch finished(List<UUID> sources) {
        var wanted = statuses.stream().filter(FINAL_STATUSES::contains).toList();
        var arguments = new ArrayList<Object>(List.of(sources));
        arguments.addAll(connectionArguments());
        return new UnionBranch(
                """
                select delivery.id, delivery.source_id, delivery.connection_id, delivery.status::integer as status,
                       true as has_row, null::bigint as owner, null::timestamptz as created_at
                  from delivery
                 where delivery.id >= span.low and delivery.id < span.high and delivery.source_id = any (?)
                """
                        + (wanted.size() == FINAL_STATUSES.size()
                                ? ""
                                : " and " + DeliveryStatusSql.in("delivery.status", wanted))
                        + onConnections("delivery.connection_id"),
                "delivery.id desc",
                arguments);
    }

    /// Counts the same deliveries as [#finished], but reads only indexes. This method is used if
    /// the scope includes all connections. The first branch counts all finished deliveries by
    /// primary key. The other branches subtract the failed, exhausted and filtered deliveries that
    /// are not wanted.
    private List<UnionBranch> finishedLessUnwanted(List<UUID> sources) {
        var branches = new ArrayList<UnionBranch>();
        branches.add(finishedIds(sources, "", false));
        var unwantedDead =
                DeliveryStatusSql.DEAD_STATUSES.stream()
                        .filter(status -> !statuses.contains(status))
                        .toList();
        if (!unwantedDead.isEmpty()) {
            branches.add(
                    finishedIds(
                            sources,
                            " and "
                                    + DeliveryStatusSql.in(
                                            "delivery.status", DeliveryStatusSql.DEAD_STATUSES)
                                    + " and "
                                    + DeliveryStatusSql.in("delivery.status", unwantedDead),
                            true));
        }
        if (!statuses.contains(DeliveryStatus.FILTERED)) {
            branches.add(
                    finishedIds(
                            sources,
                            " and "
                                    + DeliveryStatusSql.equal(
                                            "delivery.status", DeliveryStatus.FILTERED),
                            true));
        }
        return branches;
    }

    private static UnionBranch finishedIds(
            List<UUID> sources, String condition, boolean isSubtracted) {
        return new UnionBranch(
                """
                select delivery.id
                  from delivery
                 where delivery.id >= span.low and delivery.id < span.high and delivery.source_id = any (?)
                """
                        + condition,
                "delivery.id desc",
                isSubtracted,
                List.of(sources));
    }

    /// Selects the wanted deliveries that [#finished] and [#unfinished] would select, but finds
    /// them through the source's events. An event's finished and unfinished deliveries are read
    /// together. Listing a page therefore reads only the events that the page needs, even if
    /// finished or unfinished deliveries are rare.
    private UnionBranch ofEvents() {
        var parts = new ArrayList<String>();
        if (statuses.contains(DeliveryStatus.SUCCEEDED)) {
            parts.add(FINISHED_OF_EVENT);
        }
        if (statuses.contains(DeliveryStatus.PENDING)) {
            parts.add(UNFINISHED_OF_EVENT);
        }
        var wanted = EnumSet.copyOf(statuses);
        wanted.retainAll(FINAL_STATUSES);
        wanted.add(DeliveryStatus.PENDING);
        return new UnionBranch(
                """
                select found.id, event.source_id, found.connection_id, found.status,
                       true as has_row, found.owner, found.created_at
                  from event,
                       lateral (%s offset 0) as found
                 where %s
                   and found.id >= span.low and found.id < span.high
                """
                                .formatted(String.join(" union all ", parts), EVENT_IN_WINDOW)
                        + (wanted.containsAll(FINAL_STATUSES)
                                ? ""
                                : " and " + DeliveryStatusSql.in("found.status", wanted))
                        + onConnections("found.connection_id"),
                "event.id desc, found.id desc",
                connectionArguments());
    }

    private UnionBranch unfinished(List<UUID> sources) {
        var arguments = new ArrayList<Object>(List.of(sources));
        arguments.addAll(connectionArguments());
        return new UnionBranch(
                """
                select work.id, work.source_id, work.connection_id, %d as status,
                       true as has_row, work.owner, work.created_at
                  from delivery_work as work
                 where work.id >= span.low and work.id < span.high and work.source_id = any (?)
                """
                                .formatted(DeliveryStatus.PENDING.number())
                        + onConnections("work.connection_id"),
                "work.id desc",
                arguments);
    }

    /// Selects the deliveries that were filtered at ingest. [IngestOrdinals] explains how their ids
    /// are computed. A window may begin or end between two deliveries of an event, so the delivery
    /// ids are also compared with the window's bounds.
    private UnionBranch filteredAtIngest() {
        return new UnionBranch(
                """
                select %1$s as id, event.source_id, kept.connection_id, %2$s as status,
                       false as has_row, null::bigint as owner, null::timestamptz as created_at
                  from event, unnest(event.filtered) with ordinality as kept (connection_id, number)
                 where event.source_id = span.source_id
                   and event.id >= (left(span.low::text, 33) || '000')::uuid and event.id < span.high
                   and event.filtered is not null
                   and %1$s >= span.low and %1$s < span.high
                """
                                .formatted(FILTERED_ID, DeliveryStatus.FILTERED.number())
                        + onConnections("kept.connection_id"),
                "event.id desc, kept.number desc",
                connectionArguments());
    }

    private String onConnections(String column) {
        return scope.includesAllConnections() ? "" : " and " + column + " = any (?)";
    }

    private List<Object> connectionArguments() {
        return scope.includesAllConnections() ? List.of() : List.of(scope.connections());
    }

    private DeliveryKey key(Row row) throws SQLException {
        var id = row.uuid("id");
        var stored = DeliveryStatus.fromNumber(row.integer("status"));
        return new DeliveryKey(
                row.uuid("source_id"),
                id,
                row.uuid("connection_id"),
                stored == DeliveryStatus.PENDING ? unfinishedStatus(id, row) : stored,
                row.bool("has_row"));
    }

    private DeliveryStatus unfinishedStatus(UUID id, Row row) throws SQLException {
        Optional<Long> owner =
                row.isNull("owner") ? Optional.empty() : Optional.of(row.number("owner"));
        var createdAt = row.instantOrNone("created_at").orElse(Uuid7.timeOf(id));
        return statusOf.of(new DeliveryInProgress(new DeliveryId(id), owner, createdAt));
    }
}
