package dev.sluice.gateway;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.UUID;

/// Deletes rows from a table of replaced settings, which are the settings that a resource had
/// before a change. Each kind of settings has its own table, with the columns `until_version`,
/// `replaced_at` and `workspace_id` and a column for the resource's id.
///
/// Rows that a stored attempt may need are deleted only to stay within a maximum. The resource's
/// `history_from` then records the version from which on its settings are known.
public final class ReplacedRowStore {

    /// The maximum number of replaced settings kept for one resource.
    static final int MAX_OF_RESOURCE = 20;

    private final String resource;
    private final String table;
    private final String id;
    private final String connectionColumn;

    /// All names must come from Sluice's own code, never from input, because they become part of
    /// the SQL.
    ///
    /// @param table `replaced_` and the name of the table of the resources
    /// @param id the column with the id of the resource that the settings belong to
    /// @param connectionColumn the column of the `connection` table that contains the same id; the
    ///   store uses it to find the connections whose deliveries were sent with the settings
    public ReplacedRowStore(String table, String id, String connectionColumn) {
        this.resource = table.substring("replaced_".length());
        this.table = table;
        this.id = id;
        this.connectionColumn = connectionColumn;
    }

    /// Whether an attempt may have been made with the resource's present settings: it has a
    /// connection, even one that is deleted by now.
    public boolean mayHaveBeenUsed(Tx tx, UUID resourceId) {
        return tx.single(
                "select exists (select from connection where %s = ?) as used"
                        .formatted(connectionColumn),
                row -> row.bool("used"),
                resourceId);
    }

    /// Deletes a resource's oldest replaced settings, so that [#MAX_OF_RESOURCE] are left.
    public void trim(Tx tx, UUID resourceId) {
        tx.update(
                """
                with gone as (
                  delete from %1$s
                   where %2$s = ? and until_version <= (
                         select until_version
                           from %1$s
                          where %2$s = ?
                          order by until_version desc
                         offset %3$d limit 1)
                  returning until_version)
                update %4$s
                   set history_from = (select max(until_version) from gone)
                 where id = ? and exists (select from gone)
                """
                        .formatted(table, id, MAX_OF_RESOURCE, resource),
                resourceId,
                resourceId,
                resourceId);
    }

    /// Deletes a workspace's rows whose settings were replaced at or before `newest`, whether or
    /// not a stored attempt needs them.
    public void deleteOf(Tx tx, WorkspaceId workspace, Instant newest) {
        tx.update(
                """
                with gone as (
                  delete from %1$s
                   where workspace_id = ? and replaced_at <= ?
                  returning %2$s, until_version),
                newest as (
                  select %2$s as id, max(until_version) as until_version from gone group by 1)
                update %3$s as resource
                   set history_from = greatest(history_from, newest.until_version)
                  from newest
                 where resource.id = newest.id
                """
                        .formatted(table, id, resource),
                workspace.value(),
                newest);
    }

    /// Deletes up to `limit` rows whose settings were replaced before `before`. Returns the number
    /// of rows deleted. The caller must make sure that no stored attempt was made before `before`.
    public int removeBefore(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from %1$s
                 where (%2$s, until_version) in (
                       select %2$s, until_version
                         from %1$s
                        where replaced_at < ?
                        limit ?)
                """
                        .formatted(table, id),
                before,
                limit);
    }

    /// Deletes up to `limit` rows whose settings were replaced between `from` and `to` and that no
    /// stored attempt needs. A row is not needed if its settings were replaced more than 24 hours
    /// before the oldest hour with a stored count of deliveries on the resource's connections. Nor
    /// is a row needed if no such count is stored.
    ///
    /// @param from inclusive
    /// @param to exclusive; must be long enough ago that all attempts made before it have ended and
    ///   their deliveries are in the hourly counts
    public int removeUnnamed(Tx tx, Instant from, Instant to, int limit) {
        return tx.update(
                """
                with recent as materialized (
                  select %2$s, until_version, replaced_at
                    from %1$s
                   where replaced_at >= ? and replaced_at < ?
                ), first_delivery as materialized (
                  select %2$s, to_timestamp(3600.0 * (
                           select min(oldest.hour)
                             from connection
                            cross join lateral (select hour
                                                  from rollup_hour
                                                 where kind = %4$d and key = connection.id
                                                 order by hour
                                                 limit 1) as oldest
                            where connection.%3$s = asked.%2$s)) as hour
                    from (select distinct %2$s from recent) as asked
                )
                delete from %1$s
                 where (%2$s, until_version) in (
                       select %2$s, until_version
                         from recent
                         join first_delivery using (%2$s)
                        where hour is null or replaced_at < hour - interval '24 hours'
                        limit ?)
                """
                        .formatted(table, id, connectionColumn, UsageKind.DELIVERIES.number()),
                from,
                to,
                limit);
    }
}
