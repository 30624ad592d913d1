package dev.sluice.engine.node;

import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Finds transactions that have held back vacuum for a long time. Leaves out sessions whose
/// transaction holds neither a snapshot nor a transaction id.
///
/// Other users' sessions are visible only to members of `pg_read_all_stats` (PostgreSQL manual,
/// section `pg_stat_activity`).
final class LongTransactionQueries {

    /// A transaction that has been open for a long time.
    ///
    /// @param session the session's process and application, or the name of a prepared transaction
    record LongTransaction(String session, Instant since, long seconds) {}

    private LongTransactionQueries() {}

    /// Returns the transactions older than `age`, oldest first, except this session's own.
    static List<LongTransaction> olderThan(Tx tx, Duration age) {
        return tx.query(
                """
                select who, since, extract(epoch from clock_timestamp() - since)::bigint as seconds
                  from (select 'process ' || pid || ' ' || application_name as who, xact_start as since
                          from pg_stat_activity
                         where backend_type in ('client backend', 'walsender')
                           and (backend_xmin is not null or backend_xid is not null)
                           and pid <> pg_backend_pid()
                        union all
                        select 'prepared transaction ' || gid, prepared from pg_prepared_xacts) as open
                 where since < clock_timestamp() - ? * interval '1 millisecond'
                 order by since
                """,
                row ->
                        new LongTransaction(
                                row.text("who"), row.instant("since"), row.number("seconds")),
                age.toMillis());
    }
}
