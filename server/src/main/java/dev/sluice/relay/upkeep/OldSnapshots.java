package dev.sluice.relay.upkeep;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/// Looks for who keeps PostgreSQL from clearing away what is dead: a transaction that stays open
/// holds a snapshot, every row deleted since stays, and the queue's tables grow. Each is told of
/// once.
///
/// Sessions of other users show only to members of `pg_read_all_stats`, as the PostgreSQL manual
/// says of `pg_stat_activity`.
public final class OldSnapshots implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(OldSnapshots.class);
    private static final Duration OLD = Duration.ofSeconds(60);

    /// @param who the session's process and application, or the name of a prepared transaction
    record Holder(String who, Instant since, long seconds) {}

    private final Db db;

    /// Owned by the thread of the rounds.
    private Set<String> known = Set.of();

    public OldSnapshots(Db db) {
        this.db = db;
    }

    @Override
    public boolean run() {
        var holders = db.call(tx -> older(tx, OLD));
        for (var holder : news(holders)) {
            log.atWarn()
                    .addKeyValue("by", holder.who())
                    .addKeyValue("since", holder.since())
                    .addKeyValue("seconds", holder.seconds())
                    .log("database.snapshot_held");
        }
        return false;
    }

    /// Those that were not there in the round before.
    List<Holder> news(List<Holder> holders) {
        var before = known;
        known = Set.copyOf(holders.stream().map(OldSnapshots::name).distinct().toList());
        return holders.stream().filter(holder -> !before.contains(name(holder))).toList();
    }

    private static String name(Holder holder) {
        return holder.who() + " " + holder.since();
    }

    static List<Holder> older(Tx tx, Duration age) {
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
                row -> new Holder(row.text("who"), row.instant("since"), row.number("seconds")),
                age.toMillis());
    }
}
