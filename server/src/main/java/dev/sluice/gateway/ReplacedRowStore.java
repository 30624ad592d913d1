package dev.sluice.gateway;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.platform.db.Tx;

import java.time.Instant;

/// Removes old rows of a table of replaced settings. Each kind of settings has its own table. The
/// table has the columns `until_version` and `replaced_at`, and a column with the id of the
/// resource that the settings belong to. The room that owns the table creates this store.
public final class ReplacedRowStore {

    private final String table;
    private final String id;
    private final String connectionColumn;

    /// All names are from Sluice's own code, never from input.
    ///
    /// @param id the column with the id of the resource that the settings belong to
    /// @param connectionColumn the column of `connection` that contains the same id. It finds the
    ///   connections whose deliveries were sent with the settings
    public ReplacedRowStore(String table, String id, String connectionColumn) {
        this.table = table;
        this.id = id;
        this.connectionColumn = connectionColumn;
    }

    /// Removes up to `limit` rows of settings that were replaced before `before`. Returns the
    /// number of removed rows. The caller must make sure that no stored attempt was made before
    /// `before`.
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

    /// Removes up to `limit` rows that were replaced between `from` and `to` and that no attempt
    /// refers to. A row counts as unused if it was replaced at least a day before the first
    /// delivery that is still counted.
    ///
    /// @param from inclusive
    /// @param to exclusive; must be so long ago that attempts of that time have ended, and their
    ///   deliveries are counted by the hour
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
