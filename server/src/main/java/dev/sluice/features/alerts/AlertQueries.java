package dev.sluice.features.alerts;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.features.alerts.AlertIncident.NewsKind;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.history.DeliveryEnd;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// Reads the failures and circuit changes that alerts report, and the names that a message
/// contains.
final class AlertQueries {

    /// The position up to which [AlertWatcher] has read the failures and circuit changes.
    ///
    /// @param hasChannels whether any workspace has an enabled channel
    /// @param seen a database snapshot; all failures and circuit changes that are visible in it
    ///   have been read
    /// @param movedAt when the position last moved
    record WatchPosition(boolean hasChannels, TxSnapshot seen, Instant movedAt) {}

    /// News of one kind about one source and destination, to be reported to one target.
    /// [AlertIncident] explains what news is.
    ///
    /// @param source the id of the source, or the destination's id if the news concerns no source
    /// @param n the number of deliveries; 1 if the news is not about deliveries
    /// @param sample the id of one of the failed deliveries; null for news of other kinds
    /// @param since when the news was found. For deliveries that will expire, this is when the
    ///   first of them expires
    record NewsItem(
            AlertKey key,
            UUID source,
            NewsKind kind,
            long n,
            @Nullable UUID sample,
            Instant since) {}

    record CircuitNews(AlertKey key, boolean isOpen) {

        NewsItem item(Instant now) {
            var kind = isOpen ? NewsKind.OPENED : NewsKind.RECOVERED;
            return new NewsItem(key, key.destination(), kind, 1, null, now);
        }
    }

    /// The end of a page of failures and circuit changes that [AlertWatcher] has not read yet.
    ///
    /// @param upTo the id of the last transaction in the page
    /// @param isLast whether nothing is left after this page
    record ChangePage(long upTo, boolean isLast) {}

    /// A connection together with a target that gets alerts about it.
    record ConnectionTarget(AlertKey key, UUID connection, UUID source) {}

    /// News about a source, with the source's name.
    record SourceNews(
            UUID source,
            String name,
            NewsKind kind,
            long n,
            @Nullable UUID sample,
            Instant since) {}

    /// The news to report about an incident.
    ///
    /// @param moreSources the number of sources that are counted together; their news has the
    ///   destination's id as its `source`
    record News(List<SourceNews> items, long moreSources) {}

    /// The names that a message contains. The destination's name and host are empty if the incident
    /// covers several destinations. If the incident is about a source, the name is the source's and
    /// the host is empty.
    ///
    /// @param circuitError the last error of the destination's circuit; empty if the circuit is
    ///   closed
    record DestinationFacts(
            String name,
            String host,
            String workspaceName,
            Optional<String> circuitError,
            boolean isSource) {}

    /// Joins the connections in `wanted` with the enabled channels that get alerts about them.
    /// These are the channels for the connection's source and the channels for the whole workspace.
    /// Leaves out a connection if it is deleted, if its destination is deleted, or if its source is
    /// in the trash.
    private static final String TARGETS_OF_CONNECTIONS =
            """
              join connection on connection.id = wanted.connection_id and connection.deleted_at is null
              join destination on destination.id = connection.destination_id
                              and destination.deleted_at is null
              join source on source.id = connection.source_id and source.trashed_at is null
              join alert_config on alert_config.workspace_id = connection.workspace_id
                               and alert_config.enabled
                               and (alert_config.source_id is null
                                    or alert_config.source_id = connection.source_id)
            """;

    private AlertQueries() {}

    static WatchPosition position(Tx tx) {
        return tx.single(
                """
                select exists (select from alert_config where enabled) as has_channels, seen, moved_at
                  from alert_watch
                """,
                row ->
                        new WatchPosition(
                                row.bool("has_channels"),
                                TxSnapshot.parse(row.text("seen")),
                                row.instant("moved_at")));
    }

    static TxSnapshot snapshot(Tx tx) {
        return tx.single(
                "select pg_current_snapshot()::text as snapshot",
                row -> TxSnapshot.parse(row.text("snapshot")));
    }

    /// Returns the page with the oldest failures and circuit changes that are not visible in
    /// `seen`, or empty if there are none. A page contains whole transactions, which together have
    /// at most `limit` changes. If the oldest transaction alone has more changes, the page contains
    /// only that transaction.
    static Optional<ChangePage> nextPage(Tx tx, TxSnapshot seen, int limit) {
        return tx.findOne(
                """
                with change as (
                  (select xid, cardinality(failed_connections) as n
                     from commit_log
                    where failed_connections is not null and xid >= ?
                      and not pg_visible_in_snapshot(xid::text::xid8, ?::pg_snapshot)
                    order by xid limit ?)
                  union all
                  (select changed, 1
                     from circuit
                    where changed >= ?
                      and not pg_visible_in_snapshot(changed::text::xid8, ?::pg_snapshot)
                    order by changed limit ?)),
                counted as (
                  select xid, sum(n) over (order by xid) as total, min(xid) over () as oldest
                    from change)
                select max(xid) filter (where total <= ? or xid = oldest) as up_to,
                       bool_and(total <= ? or xid = oldest) and count(*) <= ? as is_last
                  from counted
                having count(*) > 0
                """,
                row -> new ChangePage(row.number("up_to"), row.bool("is_last")),
                seen.oldestRunning(),
                seen.toString(),
                limit + 1,
                seen.oldestRunning(),
                seen.toString(),
                limit + 1,
                limit,
                limit,
                limit);
    }

    /// Returns the keys in `keys` for which an incident is stored.
    static List<AlertKey> known(Tx tx, Collection<AlertKey> keys) {
        return tx.query(
                """
                select workspace_id, alert_incident.target, alert_incident.destination_id
                  from alert_incident
                  join unnest(?::uuid[], ?::uuid[]) as one (target, destination_id)
                    on alert_incident.target = one.target
                   and alert_incident.destination_id = one.destination_id
                """,
                AlertQueries::key,
                keys.stream().map(AlertKey::target).toList(),
                keys.stream().map(AlertKey::destination).toList());
    }

    /// Returns how many incidents about single destinations each workspace has, or `max` if it has
    /// more.
    static Map<UUID, Integer> incidentCounts(Tx tx, Collection<UUID> workspaces, int max) {
        var counts = new HashMap<UUID, Integer>();
        tx.query(
                """
                select workspace_id, (select count(*) from (
                         select from alert_incident
                          where alert_incident.workspace_id = one.workspace_id
                            and destination_id <> one.workspace_id
                          limit ?) as counted) as n
                  from unnest(?::uuid[]) as one (workspace_id)
                """,
                row -> counts.put(row.uuid("workspace_id"), row.integer("n")),
                max,
                workspaces);
        return counts;
    }

    /// Counts the deliveries that became `failed` or `exhausted` in a page of transactions. There
    /// is one count for each target, connection and status.
    ///
    /// @param seen transactions that are visible in this snapshot are not counted
    /// @param upTo the id of the last transaction in the page
    static List<NewsItem> failures(Tx tx, TxSnapshot seen, long upTo, Instant now) {
        return tx.query(
                """
                with wanted as (
                  select failure.connection_id, failure.status, sum(failure.n)::bigint as n,
                         (array_agg(failure.sample order by xid desc))[1] as sample
                    from commit_log,
                         unnest(failed_connections, failed_statuses, failed_counts, failed_samples)
                           as failure (connection_id, status, n, sample)
                   where failed_connections is not null and xid >= ?
                     and not pg_visible_in_snapshot(xid::text::xid8, ?::pg_snapshot)
                     and xid <= ?
                   group by failure.connection_id, failure.status)
                select distinct on (target, wanted.connection_id, wanted.status)
                       connection.workspace_id, target, connection.destination_id,
                       connection.source_id, wanted.status, n, sample
                  from wanted
                """
                        + TARGETS_OF_CONNECTIONS,
                row ->
                        new NewsItem(
                                key(row),
                                row.uuid("source_id"),
                                row.integer("status") == DeliveryStatus.FAILED.number()
                                        ? NewsKind.FAILED
                                        : NewsKind.EXHAUSTED,
                                row.number("n"),
                                row.uuid("sample"),
                                now),
                seen.oldestRunning(),
                seen.toString(),
                upTo);
    }

    /// Returns the circuits that changed in a page of transactions and are now open or closed. Each
    /// circuit is returned once for each target that gets alerts about its destination. A closed
    /// circuit is included only if the target's incident says that it was open.
    ///
    /// @param seen transactions that are visible in this snapshot are left out
    /// @param upTo the id of the last transaction in the page
    static List<CircuitNews> circuitChanges(Tx tx, TxSnapshot seen, long upTo) {
        return tx.query(
                """
                select distinct on (target, destination.id)
                       destination.workspace_id, target, destination.id as destination_id,
                       circuit.state = 'open' as is_open
                  from circuit
                  join destination on destination.id = circuit.destination_id
                                  and destination.deleted_at is null
                  join alert_config on alert_config.workspace_id = destination.workspace_id
                                   and alert_config.enabled
                 where changed >= ? and not pg_visible_in_snapshot(changed::text::xid8, ?::pg_snapshot)
                   and changed <= ?
                   and (circuit.state = 'open'
                        or circuit.state = 'closed'
                           and exists (select from alert_incident
                                        where alert_incident.target = alert_config.target
                                          and alert_incident.destination_id = destination.id
                                          and alert_incident.is_open))
                   and (alert_config.source_id is null
                        or exists (select from connection
                                    where connection.source_id = alert_config.source_id
                                      and connection.destination_id = destination.id
                                      and connection.deleted_at is null))
                """,
                row -> new CircuitNews(key(row), row.bool("is_open")),
                seen.oldestRunning(),
                seen.toString(),
                upTo);
    }

    /// Returns the targets that get alerts about these connections. Omits a connection if it is
    /// deleted, if its destination is deleted, or if its source is in the trash.
    static List<ConnectionTarget> targets(Tx tx, Collection<UUID> connections) {
        return tx.query(
                """
                select distinct on (target, wanted.connection_id)
                       connection.workspace_id, target, connection.destination_id,
                       connection.source_id, wanted.connection_id
                  from unnest(?::uuid[]) as wanted (connection_id)
                """
                        + TARGETS_OF_CONNECTIONS,
                row ->
                        new ConnectionTarget(
                                key(row), row.uuid("connection_id"), row.uuid("source_id")),
                connections);
    }

    /// Pairs each of these unreadable destinations and sources with the targets that get alerts
    /// about it, and returns up to `limit` pairs. Leaves out pairs whose incident is already marked
    /// as unreadable. A channel of one source gets alerts only about that source and the
    /// destinations that it is connected to.
    ///
    /// When a workspace has `maxIncidents` incidents, its other destinations and sources share one
    /// incident for each target. If the shared incident is already marked as unreadable, the
    /// destinations and sources that share it are also left out.
    ///
    /// @param maxIncidents how many incidents a workspace may have besides the shared ones
    static List<AlertKey> unreportedUnreadable(
            Tx tx, Collection<UUID> unreadable, int maxIncidents, int limit) {
        return tx.query(
                """
                with unreadable as materialized (
                  select workspace_id, id, false as is_source
                    from destination
                   where id = any (?) and deleted_at is null
                  union all
                  select workspace_id, id, true
                    from source
                   where id = any (?) and trashed_at is null),
                reported_together as materialized (
                  select rest.workspace_id, rest.target
                    from alert_incident as rest
                   where rest.destination_id in (select workspace_id from unreadable)
                     and rest.is_unreadable
                     and (select count(*) from (
                            select from alert_incident
                             where alert_incident.workspace_id = rest.workspace_id
                               and destination_id <> rest.workspace_id
                             limit ?) as counted) = ?)
                select distinct unreadable.workspace_id, target, unreadable.id as destination_id
                  from unreadable
                  join alert_config on alert_config.workspace_id = unreadable.workspace_id
                                   and alert_config.enabled
                 where (alert_config.source_id is null
                        or is_source and alert_config.source_id = unreadable.id
                        or not is_source
                           and exists (select from connection
                                        where connection.source_id = alert_config.source_id
                                          and connection.destination_id = unreadable.id
                                          and connection.deleted_at is null))
                   and not coalesce((select is_unreadable from alert_incident
                                      where alert_incident.target = alert_config.target
                                        and alert_incident.destination_id = unreadable.id),
                                    exists (select from reported_together
                                             where reported_together.workspace_id
                                                     = unreadable.workspace_id
                                               and reported_together.target = alert_config.target))
                 order by unreadable.id, target
                 limit ?
                """,
                AlertQueries::key,
                unreadable,
                unreadable,
                maxIncidents,
                maxIncidents,
                limit);
    }

    private static AlertKey key(Row row) throws SQLException {
        return new AlertKey(
                row.uuid("workspace_id"), row.uuid("target"), row.uuid("destination_id"));
    }

    /// Returns an incident's news, including the counts from abandoned messages. Leaves out sources
    /// that are now in the trash. Lists the `limit` sources with the most deliveries, and counts
    /// all others together.
    static News news(Tx tx, AlertKey key, int limit) {
        var more = new AtomicLong();
        var items =
                tx.query(
                        """
                        with news as (
                          select destination_id, source_id, kind, n + lost as n, sample, since,
                                 coalesce(source.name, '') as name,
                                 alert_news.source_id <> destination_id as has_source,
                                 sum(n + lost) over (partition by alert_news.source_id) as total
                            from alert_news
                            left join source on source.id = alert_news.source_id
                           where target = ? and destination_id = ? and trashed_at is null),
                        ranked as (
                          select *, dense_rank() over (partition by has_source
                                                           order by total desc, source_id) as rank
                            from news),
                        counted as (
                          select *, rank > ? as is_more, max(rank) over () as ranks from ranked)
                        select case when is_more then destination_id else source_id end as source_id,
                               case when is_more then '' else name end as name, kind,
                               sum(n)::bigint as n, (array_agg(sample))[1] as sample,
                               min(since) as since, min(ranks) as ranks
                          from counted
                         group by 1, 2, kind, is_more
                         order by is_more, max(total) desc, 1
                        """,
                        row -> {
                            more.set(Math.max(0, row.number("ranks") - limit));
                            return sourceNews(row);
                        },
                        key.target(),
                        key.destination(),
                        limit);
        return new News(items.stream().flatMap(Optional::stream).toList(), more.get());
    }

    private static Optional<SourceNews> sourceNews(Row row) throws SQLException {
        var kind = NewsKind.fromNumber(row.integer("kind"));
        return kind.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new SourceNews(
                                row.uuid("source_id"),
                                row.text("name"),
                                kind.get(),
                                row.number("n"),
                                row.isNull("sample") ? null : row.uuid("sample"),
                                row.instant("since")));
    }

    /// Returns the names that a message about an incident needs, or empty if the incident's
    /// destination is deleted or its source is in the trash.
    static Optional<DestinationFacts> facts(Tx tx, AlertKey key) {
        if (key.isRest()) {
            String workspace = workspaceName(tx, new WorkspaceId(key.workspace()));
            return Optional.of(new DestinationFacts("", "", workspace, Optional.empty(), false));
        }
        return destinationFacts(tx, key.destination()).or(() -> sourceFacts(tx, key.destination()));
    }

    private static Optional<DestinationFacts> sourceFacts(Tx tx, UUID source) {
        return tx.findOne(
                """
                select source.name, workspace.name as workspace_name
                  from source
                  join workspace on workspace.id = source.workspace_id
                 where source.id = ? and trashed_at is null
                """,
                row ->
                        new DestinationFacts(
                                row.text("name"),
                                "",
                                row.text("workspace_name"),
                                Optional.empty(),
                                true),
                source);
    }

    private static Optional<DestinationFacts> destinationFacts(Tx tx, UUID destination) {
        return tx.findOne(
                """
                select destination.name, destination.url, workspace.name as workspace_name,
                       case when circuit.state <> 'closed' then circuit.last_error end as circuit_error
                  from destination
                  join workspace on workspace.id = destination.workspace_id
                  left join circuit on circuit.destination_id = destination.id
                 where destination.id = ? and destination.deleted_at is null
                """,
                row -> {
                    var url = DestinationUrl.parseStored(row.text("url"));
                    return new DestinationFacts(
                            row.text("name"),
                            url.isReadable() ? url.authority() : "",
                            row.text("workspace_name"),
                            row.textOrNone("circuit_error"),
                            false);
                },
                destination);
    }

    static String workspaceName(Tx tx, WorkspaceId workspace) {
        return tx.single(
                "select name from workspace where id = ?",
                row -> row.text("name"),
                workspace.value());
    }

    /// Finds the delivery that ended last among the given ones and returns its error. Returns empty
    /// if that delivery has no error, or if none of the deliveries is stored.
    ///
    /// @param sources the sources of these deliveries
    static Optional<String> lastError(
            Tx tx, Collection<UUID> deliveries, Collection<UUID> sources) {
        return tx.findOne(
                        """
                        select status, error_code, response_status, error_message, attempted_at, attempts
                          from delivery
                         where id = any (?) and source_id = any (?)
                         order by finished_at desc
                         limit 1
                        """,
                        row ->
                                new DeliveryEnd(
                                                DeliveryStatus.fromNumber(row.integer("status")),
                                                row.integerOrNone("error_code")
                                                        .map(ErrorCode::fromNumber),
                                                row.integerOrNone("response_status"),
                                                row.textOrNone("error_message"),
                                                !row.isNull("attempted_at"),
                                                row.integer("attempts"))
                                        .error(),
                        deliveries,
                        sources)
                .flatMap(error -> error);
    }
}
