package dev.sluice.observe.alerts;

import dev.sluice.observe.alerts.AlertIncident.NewsKind;
import dev.sluice.observe.alerts.AlertQueries.CircuitNews;
import dev.sluice.observe.alerts.AlertQueries.NewsItem;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.SingletonLeaseStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Writes how far failures were taken over, and the incidents with what is to be told of them.
///
/// A transaction locks the rows of its incidents first, in the order of their key. The lock of an
/// incident also guards its news. Statements are about many incidents at a time.
final class AlertStore {

    static final SingletonLeaseStore LEASE = new SingletonLeaseStore("alert_watch");

    static final Duration LEASE_DURATION = Duration.ofSeconds(30);

    /// Stands for no delivery.
    private static final UUID NO_SAMPLE = new UUID(0, 0);

    /// Stands for no time, among microseconds since 1970.
    private static final long NEVER = Long.MIN_VALUE;

    private AlertStore() {}

    /// Moves the position to the present while no workspace has a channel. One statement, so that a
    /// channel that it does not see is older than no failure that it passes by.
    static void moveWithoutChannels(Tx tx, Instant now) {
        tx.update(
                """
                update alert_watch
                   set seen = pg_current_snapshot()::text, moved_at = ?
                 where not exists (select from alert_config where enabled)
                """,
                now);
    }

    /// Moves the position. Returns false if another process has moved it.
    static boolean move(Tx tx, TxSnapshot before, TxSnapshot after, Instant now) {
        return tx.update(
                        "update alert_watch set seen = ?, moved_at = ? where seen = ?",
                        after.toString(),
                        now,
                        before.toString())
                == 1;
    }

    private static List<UUID> targets(Collection<AlertKey> keys) {
        return keys.stream().map(AlertKey::target).toList();
    }

    private static List<UUID> destinations(Collection<AlertKey> keys) {
        return keys.stream().map(AlertKey::destination).toList();
    }

    /// Makes sure that the incidents have rows, and locks them.
    static void lock(Tx tx, Collection<AlertKey> keys) {
        tx.update(
                """
                insert into alert_incident (workspace_id, target, destination_id)
                select distinct workspace_id, target, destination_id
                  from unnest(?::uuid[], ?::uuid[], ?::uuid[])
                         as one (workspace_id, target, destination_id)
                 order by target, destination_id
                on conflict (target, destination_id)
                   do update set workspace_id = excluded.workspace_id
                """,
                keys.stream().map(AlertKey::workspace).toList(),
                targets(keys),
                destinations(keys));
    }

    /// Adds news to incidents that the transaction has locked. Expiring deliveries that begin at
    /// the same time are announced again after a crash, and are not counted twice.
    static void add(Tx tx, Collection<NewsItem> news) {
        if (news.isEmpty()) {
            return;
        }
        var keys = news.stream().map(NewsItem::key).toList();
        tx.update(
                """
                insert into alert_news (target, destination_id, source_id, kind, n, sample, since)
                select target, destination_id, source_id, kind, sum(n),
                       (array_agg(sample) filter (where sample <> ?))[1],
                       timestamptz 'epoch' + min(since) * interval '1 microsecond'
                  from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::integer[], ?::bigint[], ?::uuid[],
                              ?::bigint[])
                         as one (target, destination_id, source_id, kind, n, sample, since)
                 group by target, destination_id, source_id, kind
                on conflict (target, destination_id, source_id, kind)
                   do update set n = case when alert_news.kind = ? and alert_news.since = excluded.since
                                          then greatest(alert_news.n, excluded.n)
                                          else alert_news.n + excluded.n end,
                                 sample = excluded.sample,
                                 since = least(alert_news.since, excluded.since)
                """,
                NO_SAMPLE,
                targets(keys),
                destinations(keys),
                news.stream().map(NewsItem::source).toList(),
                news.stream().map(one -> one.kind().number()).toList(),
                news.stream().map(NewsItem::n).toList(),
                news.stream()
                        .map(one -> Objects.requireNonNullElse(one.sample(), NO_SAMPLE))
                        .toList(),
                news.stream().map(one -> micros(one.since())).toList(),
                NewsKind.EXPIRING.number());
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    /// Notes the circuits of locked incidents. A circuit that closes before anybody was told that
    /// it opened is no news.
    static void noteCircuits(Tx tx, List<CircuitNews> changes, Instant now) {
        if (changes.isEmpty()) {
            return;
        }
        var keys = changes.stream().map(CircuitNews::key).toList();
        tx.update(
                """
                delete from alert_news
                 using unnest(?::uuid[], ?::uuid[], ?::integer[])
                         as obsolete (target, destination_id, kind)
                 where alert_news.target = obsolete.target
                   and alert_news.destination_id = obsolete.destination_id
                   and alert_news.kind = obsolete.kind
                """,
                targets(keys),
                destinations(keys),
                changes.stream()
                        .map(change -> change.isOpen() ? NewsKind.RECOVERED : NewsKind.OPENED)
                        .map(NewsKind::number)
                        .toList());
        var news = new ArrayList<NewsItem>();
        tx.query(
                        """
                        update alert_incident set is_open = change.is_open = 1
                          from unnest(?::uuid[], ?::uuid[], ?::integer[])
                                 as change (target, destination_id, is_open)
                         where alert_incident.target = change.target
                           and alert_incident.destination_id = change.destination_id
                        returning workspace_id, alert_incident.target, alert_incident.destination_id,
                                  alert_incident.is_open, is_open_told
                        """,
                        row ->
                                row.bool("is_open") || row.bool("is_open_told")
                                        ? Optional.of(
                                                new CircuitNews(key(row), row.bool("is_open")))
                                        : Optional.<CircuitNews>empty(),
                        targets(keys),
                        destinations(keys),
                        changes.stream().map(change -> change.isOpen() ? 1 : 0).toList())
                .forEach(told -> told.ifPresent(change -> news.add(change.item(now))));
        add(tx, news);
    }

    /// Notes that settings of locked incidents' destinations cannot be read.
    static void noteUnreadable(Tx tx, Collection<AlertKey> keys) {
        tx.update(
                """
                update alert_incident set is_unreadable = true
                  from unnest(?::uuid[], ?::uuid[]) as one (target, destination_id)
                 where alert_incident.target = one.target
                   and alert_incident.destination_id = one.destination_id
                """,
                targets(keys),
                destinations(keys));
    }

    /// Notes that the settings of up to `limit` other destinations can be read. Those that another
    /// transaction has locked wait for the next time.
    ///
    /// @param unreadable destinations, and the workspaces that have one
    static void noteReadable(Tx tx, Collection<UUID> unreadable, int limit) {
        tx.update(
                """
                with readable as (
                  select target, destination_id from alert_incident
                   where is_unreadable and destination_id <> all (?::uuid[])
                   order by target, destination_id
                   limit ?
                     for update skip locked)
                update alert_incident set is_unreadable = false
                  from readable
                 where alert_incident.target = readable.target
                   and alert_incident.destination_id = readable.destination_id
                """,
                unreadable,
                limit);
    }

    /// An incident, and the kinds of its news.
    ///
    /// @param notBefore nothing is told earlier
    record StoredIncident(
            AlertKey key,
            AlertIncident incident,
            Set<NewsKind> news,
            Optional<Instant> dueAt,
            Optional<Instant> notBefore) {

        boolean isDue(Instant now) {
            return dueAt.isPresent() && !dueAt.get().isAfter(now);
        }

        /// Returns when the news are to be told; empty if there are none.
        Optional<Instant> nextAt(Instant now) {
            if (isDue(now) && !news.isEmpty()) {
                return dueAt; // keeps its place among those that wait
            }
            return incident.dueAt(news, now)
                    .map(due -> notBefore.filter(time -> time.isAfter(due)).orElse(due));
        }
    }

    private static final String INCIDENTS =
            """
            select alert_incident.*,
                   array(select kind::integer from alert_news
                          where alert_news.target = alert_incident.target
                            and alert_news.destination_id = alert_incident.destination_id) as kinds
              from alert_incident
            """;

    /// Decides anew when locked incidents are told.
    static void schedule(Tx tx, Collection<AlertKey> keys, Instant now) {
        var stored =
                tx.query(
                        INCIDENTS
                                + """
                                join (select distinct target, destination_id
                                        from unnest(?::uuid[], ?::uuid[])
                                               as wanted (target, destination_id)) as one
                                  on alert_incident.target = one.target
                                 and alert_incident.destination_id = one.destination_id
                                """,
                        AlertStore::incident,
                        targets(keys),
                        destinations(keys));
        var changed = stored.stream().filter(one -> !one.nextAt(now).equals(one.dueAt())).toList();
        if (changed.isEmpty()) {
            return;
        }
        var changedKeys = changed.stream().map(StoredIncident::key).toList();
        tx.update(
                """
                update alert_incident
                   set due_at = timestamptz 'epoch' + nullif(due, ?) * interval '1 microsecond'
                  from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as one (target, destination_id, due)
                 where alert_incident.target = one.target
                   and alert_incident.destination_id = one.destination_id
                """,
                NEVER,
                targets(changedKeys),
                destinations(changedKeys),
                changed.stream()
                        .map(one -> one.nextAt(now).map(AlertStore::micros).orElse(NEVER))
                        .toList());
    }

    /// Notes that nothing is to be told of a locked incident.
    static void setNothingDue(Tx tx, AlertKey key) {
        tx.update(
                "update alert_incident set due_at = null where target = ? and destination_id = ?",
                key.target(),
                key.destination());
    }

    /// Lets a locked incident be told at a time, and not before.
    static void postpone(Tx tx, AlertKey key, Instant until) {
        tx.update(
                """
                update alert_incident set due_at = ?, not_before = ?
                 where target = ? and destination_id = ?
                """,
                until,
                until,
                key.target(),
                key.destination());
    }

    /// Returns incidents that are due, some of each workspace, the longest waiting first.
    ///
    /// @param after the workspaces after this one, in the order of their ids
    static List<AlertKey> due(Tx tx, Instant now, UUID after, int perWorkspace, int limit) {
        return tx.query(
                """
                with recursive turn as (
                  (select workspace_id from alert_incident
                    where due_at is not null and workspace_id > ?
                    order by workspace_id limit 1)
                  union all
                  select (select alert_incident.workspace_id from alert_incident
                           where due_at is not null and workspace_id > turn.workspace_id
                           order by workspace_id limit 1)
                    from turn
                   where turn.workspace_id is not null)
                select waiting.*
                  from turn,
                       lateral (select workspace_id, target, destination_id
                                  from alert_incident
                                 where alert_incident.workspace_id = turn.workspace_id
                                   and due_at <= ?
                                 order by due_at
                                 limit ?) as waiting
                 limit ?
                """,
                AlertStore::key,
                after,
                now,
                perWorkspace,
                limit);
    }

    private static AlertKey key(Row row) throws SQLException {
        return new AlertKey(
                row.uuid("workspace_id"), row.uuid("target"), row.uuid("destination_id"));
    }

    /// Locks an incident and returns it.
    static Optional<StoredIncident> find(Tx tx, AlertKey key) {
        return tx.findOne(
                INCIDENTS
                        + " where alert_incident.target = ? and alert_incident.destination_id = ?"
                        + " for update of alert_incident",
                AlertStore::incident,
                key.target(),
                key.destination());
    }

    private static StoredIncident incident(Row row) throws SQLException {
        var news = EnumSet.noneOf(NewsKind.class);
        row.integers("kinds").forEach(kind -> NewsKind.fromNumber(kind).ifPresent(news::add));
        return new StoredIncident(
                key(row),
                new AlertIncident(
                        row.integer("messages"),
                        row.instantOrNone("last_at"),
                        row.bool("is_open"),
                        row.bool("is_open_told")),
                news,
                row.instantOrNone("due_at"),
                row.instantOrNone("not_before"));
    }

    /// Stores that a locked incident was told, and removes its news.
    static void saveTold(Tx tx, AlertKey key, AlertIncident told) {
        deleteNews(tx, key);
        tx.update(
                """
                update alert_incident
                   set messages = ?, last_at = ?, is_open_told = ?, due_at = null, not_before = null
                 where target = ? and destination_id = ?
                """,
                told.messages(),
                told.lastAt().orElse(null),
                told.isOpenTold(),
                key.target(),
                key.destination());
    }

    static void deleteNews(Tx tx, AlertKey key) {
        tx.update(
                "delete from alert_news where target = ? and destination_id = ?",
                key.target(),
                key.destination());
    }

    static void delete(Tx tx, AlertKey key) {
        deleteNews(tx, key);
        tx.update(
                "delete from alert_incident where target = ? and destination_id = ?",
                key.target(),
                key.destination());
    }

    /// Returns up to `limit` incidents after a key, in the order of their keys.
    static List<AlertKey> after(Tx tx, AlertKey key, int limit) {
        return tx.query(
                """
                select workspace_id, target, destination_id
                  from alert_incident
                 where (target, destination_id) > (?, ?)
                 order by target, destination_id
                 limit ?
                """,
                AlertStore::key,
                key.target(),
                key.destination(),
                limit);
    }

    /// Deletes those of these incidents that are over, that nobody is told of any more, or whose
    /// destination is deleted. Those that another transaction has locked wait for the next time.
    static void deleteOver(Tx tx, Collection<AlertKey> keys, Instant now) {
        tx.update(
                """
                with gone as (
                  select alert_incident.target, alert_incident.destination_id
                    from alert_incident
                    join unnest(?::uuid[], ?::uuid[]) as one (target, destination_id)
                      on alert_incident.target = one.target
                     and alert_incident.destination_id = one.destination_id
                   where due_at is null and not is_open and not is_unreadable
                         and (last_at is null
                              or last_at <= case when messages = 0 then ?::timestamptz
                                                 else ?::timestamptz end)
                      or not exists (select from alert_config
                                      where alert_config.target = alert_incident.target and enabled)
                      or alert_incident.destination_id <> alert_incident.workspace_id
                         and not exists (select from destination
                                          where destination.id = alert_incident.destination_id
                                            and deleted_at is null)
                     for update of alert_incident skip locked),
                untold as (
                  delete from alert_news using gone
                   where alert_news.target = gone.target
                     and alert_news.destination_id = gone.destination_id)
                delete from alert_incident using gone
                 where alert_incident.target = gone.target
                   and alert_incident.destination_id = gone.destination_id
                """,
                targets(keys),
                destinations(keys),
                now.minus(AlertIncident.QUIET_AFTER_RECOVERY),
                now.minus(AlertIncident.QUIET));
    }

    /// Deletes all incidents of targets.
    static void deleteAll(Tx tx, Collection<UUID> targets) {
        tx.update(
                """
                with gone as (
                  select target, destination_id from alert_incident
                   where target = any (?)
                   order by target, destination_id
                     for update),
                untold as (
                  delete from alert_news using gone
                   where alert_news.target = gone.target
                     and alert_news.destination_id = gone.destination_id)
                delete from alert_incident using gone
                 where alert_incident.target = gone.target
                   and alert_incident.destination_id = gone.destination_id
                """,
                targets);
    }
}
