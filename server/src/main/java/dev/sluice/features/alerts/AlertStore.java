package dev.sluice.features.alerts;

import dev.sluice.features.alerts.AlertIncident.NewsKind;
import dev.sluice.features.alerts.AlertQueries.CircuitNews;
import dev.sluice.features.alerts.AlertQueries.NewsItem;
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

/// Stores the alert incidents ([AlertIncident]) and, for each incident, the news that no message
/// has reported yet. Also stores the position up to which [AlertWatcher] has read the failures and
/// circuit changes.
///
/// A transaction that changes several incidents locks their rows first, ordered by target and
/// destination, so that transactions cannot deadlock. The lock on an incident's row also protects
/// the incident's news. A transaction that may create incidents calls [#lockRoom] before it locks
/// any incident.
final class AlertStore {

    static final SingletonLeaseStore LEASE = new SingletonLeaseStore("alert_watch");

    static final Duration LEASE_DURATION = Duration.ofSeconds(30);

    /// A placeholder for a missing sample delivery in an array.
    private static final UUID NO_SAMPLE = new UUID(0, 0);

    /// A placeholder for a missing time in an array of microseconds since 1970.
    private static final long NEVER = Long.MIN_VALUE;

    /// The end of an SQL statement whose `with` clause selects and locks incidents under the name
    /// `gone`. Deletes these incidents and their news.
    private static final String DELETE_GONE =
            """
            , unreported as (
              delete from alert_news using gone
               where alert_news.target = gone.target
                 and alert_news.destination_id = gone.destination_id)
            delete from alert_incident using gone
             where alert_incident.target = gone.target
               and alert_incident.destination_id = gone.destination_id
            """;

    private static final int MAX_LOST_REPORTED = 500;

    private AlertStore() {}

    /// Moves the watcher's position to the current snapshot if no workspace has an enabled channel.
    /// The check and the move are one statement with one snapshot, so failures that happen after a
    /// channel is created are not skipped.
    static void moveWithoutChannels(Tx tx, Instant now) {
        tx.update(
                """
                update alert_watch
                   set seen = pg_current_snapshot()::text, moved_at = ?
                 where not exists (select from alert_config where enabled)
                """,
                now);
    }

    /// Moves the watcher's position from `before` to `after`. Returns false, and changes nothing,
    /// if the position is no longer `before`, because another process has moved it.
    static boolean move(Tx tx, TxSnapshot before, TxSnapshot after, Instant now) {
        return tx.update(
                        "update alert_watch set seen = ?, moved_at = ? where seen = ?",
                        after.toString(),
                        now,
                        before.toString())
                == 1;
    }

    /// Lets only one transaction at a time count incidents and create new ones. To do so, locks the
    /// watcher's position, which [#move] also locks. Must be called before any incident is locked.
    static void lockRoom(Tx tx) {
        tx.single("select true as locked from alert_watch for update", row -> row.bool("locked"));
    }

    private static List<UUID> targets(Collection<AlertKey> keys) {
        return keys.stream().map(AlertKey::target).toList();
    }

    private static List<UUID> destinations(Collection<AlertKey> keys) {
        return keys.stream().map(AlertKey::destination).toList();
    }

    /// Locks the rows of these incidents until the transaction ends. Creates missing rows.
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

    /// Adds news to incidents that this transaction has locked. Counts for the same incident,
    /// source and kind are added up. Deliveries that will expire are an exception: after the
    /// retention period changes, the same deliveries may be added a second time. If the first of
    /// them expires at the time that is already stored, the larger count is kept instead of the
    /// sum.
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

    /// Keeps the counts of an abandoned message. These counts do not make a message due on their
    /// own. They are reported with the incident's next news, or after [#reportLost]. The caller
    /// must have locked the incident.
    ///
    /// @param news a JSON object with a list `counts`. Each element has the fields `source_id`,
    ///   `kind`, `n`, `sample` and `since`; a source and kind may occur more than once
    /// @param now stored as the time of the last message if the incident has had no message; the
    ///   counts are kept for a limited time after the last message
    static void keepLost(Tx tx, AlertKey key, String news, Instant now) {
        tx.update(
                """
                update alert_incident
                   set last_at = ?
                 where target = ? and destination_id = ? and last_at is null
                """,
                now,
                key.target(),
                key.destination());
        tx.update(
                """
                insert into alert_news (target, destination_id, source_id, kind, n, sample, since, lost)
                select ?, ?, source_id, kind, 0, (array_agg(sample))[1], min(since), sum(n)::bigint
                  from jsonb_to_recordset(?::jsonb -> 'counts')
                         as one (source_id uuid, kind smallint, n bigint, sample uuid,
                                 since timestamptz)
                 group by source_id, kind
                on conflict (target, destination_id, source_id, kind)
                   do update set lost = alert_news.lost + excluded.lost,
                                 sample = coalesce(alert_news.sample, excluded.sample),
                                 since = least(alert_news.since, excluded.since)
                """,
                key.target(),
                key.destination(),
                news);
    }

    /// Marks the counts from abandoned messages to this target as unreported, so that a later
    /// message includes them. Call this after each message that is sent to the target. One call
    /// handles up to 500 incidents; later calls handle the rest.
    static void reportLost(Tx tx, UUID target, Instant now) {
        var keys =
                tx.query(
                        """
                        select workspace_id, target, destination_id
                          from alert_incident
                         where (target, destination_id) in (
                                 select target, destination_id from alert_news
                                  where target = ? and lost > 0)
                         order by destination_id
                         limit ?
                        """,
                        AlertStore::key,
                        target,
                        MAX_LOST_REPORTED);
        if (keys.isEmpty()) {
            return;
        }
        lock(tx, keys);
        tx.update(
                """
                update alert_news set n = n + lost, lost = 0
                 where target = ? and destination_id = any (?) and lost > 0
                """,
                target,
                destinations(keys));
        schedule(tx, keys, now);
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    /// Records in locked incidents whether their destinations' circuits are open, and adds the
    /// changes as news. If a circuit closes before its opening was reported, neither change is
    /// reported.
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
                .forEach(found -> found.ifPresent(change -> news.add(change.item(now))));
        add(tx, news);
    }

    /// Marks these incidents as unreadable, which means that their destination's or source's
    /// settings cannot be read. The caller must have locked the incidents. Returns the incidents
    /// that were not marked before.
    static List<AlertKey> noteUnreadable(Tx tx, Collection<AlertKey> keys) {
        return tx.query(
                """
                update alert_incident set is_unreadable = true
                  from unnest(?::uuid[], ?::uuid[]) as one (target, destination_id)
                 where alert_incident.target = one.target
                   and alert_incident.destination_id = one.destination_id
                   and not is_unreadable
                returning workspace_id, alert_incident.target, alert_incident.destination_id
                """,
                AlertStore::key,
                targets(keys),
                destinations(keys));
    }

    /// Removes the unreadable mark ([#noteUnreadable]) from up to `limit` incidents whose
    /// destination or source is not in `unreadable`. Skips incidents that another transaction has
    /// locked.
    ///
    /// @param unreadable the ids of the destinations and sources whose settings cannot be read, and
    ///   of their workspaces, which identify the shared incidents
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

    /// An incident together with the kinds of news it has.
    ///
    /// @param dueAt the stored time at which the next message is due; empty if none is due
    /// @param notBefore the earliest time for the next message, if the message was postponed
    record StoredIncident(
            AlertKey key,
            AlertIncident incident,
            Set<NewsKind> news,
            Optional<Instant> dueAt,
            Optional<Instant> notBefore) {

        boolean isDue(Instant now) {
            return dueAt.isPresent() && !dueAt.get().isAfter(now);
        }

        /// Returns when the next message is due, or empty if there is no news.
        Optional<Instant> nextAt(Instant now) {
            if (isDue(now) && !news.isEmpty()) {
                return dueAt; // the incident keeps its position in the queue
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
                            and alert_news.destination_id = alert_incident.destination_id
                            and n > 0) as kinds
              from alert_incident
            """;

    /// Computes and stores when the next messages about locked incidents are due.
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

    /// Records that no message about a locked incident is due.
    static void setNothingDue(Tx tx, AlertKey key) {
        tx.update(
                "update alert_incident set due_at = null where target = ? and destination_id = ?",
                key.target(),
                key.destination());
    }

    /// Postpones the next message about an incident to the time `until`.
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

    /// Returns incidents whose next message is due. They are ordered by workspace id, and within a
    /// workspace by the time at which the message became due, earliest first.
    ///
    /// @param after the id of a workspace; the result begins with the next higher id
    /// @param perWorkspace the maximum number of incidents for each workspace
    /// @param limit the maximum number of incidents in total
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
                                   and not exists (
                                       select from workspace
                                        where id = turn.workspace_id and suspended_at is not null)
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

    /// Locks an incident and returns it, or returns empty if there is no such incident.
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

    /// Stores a locked incident after its message has been composed, and removes its news.
    static void saveReported(Tx tx, AlertKey key, AlertIncident reported) {
        deleteNews(tx, key);
        tx.update(
                """
                update alert_incident
                   set messages = ?, last_at = ?, is_open_told = ?, due_at = null, not_before = null
                 where target = ? and destination_id = ?
                """,
                reported.messages(),
                reported.lastAt().orElse(null),
                reported.isOpenReported(),
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

    /// Returns up to `limit` incidents that come after `key` when ordered by target and
    /// destination.
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

    /// Deletes the incidents in `keys` that are no longer needed. An incident is no longer needed
    /// if it is over ([AlertIncident#QUIET]), its target has no enabled channel, its destination is
    /// deleted, or its source is in the trash. Skips incidents that another transaction has locked.
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
                              or last_at <= case when exists (
                                                        select from alert_news
                                                         where alert_news.target
                                                                 = alert_incident.target
                                                           and alert_news.destination_id
                                                                 = alert_incident.destination_id
                                                           and lost > 0)
                                                 then ?::timestamptz
                                                 when messages = 0 then ?::timestamptz
                                                 else ?::timestamptz end)
                      or not exists (select from alert_config
                                      where alert_config.target = alert_incident.target and enabled)
                      or alert_incident.destination_id <> alert_incident.workspace_id
                         and not exists (select from destination
                                          where destination.id = alert_incident.destination_id
                                            and deleted_at is null)
                         and not exists (select from source
                                          where source.id = alert_incident.destination_id
                                            and trashed_at is null)
                     for update of alert_incident skip locked)
                """
                        + DELETE_GONE,
                targets(keys),
                destinations(keys),
                now.minus(AlertIncident.QUIET_AFTER_LOSS),
                now.minus(AlertIncident.QUIET_AFTER_RECOVERY),
                now.minus(AlertIncident.QUIET));
    }

    /// Deletes all incidents of these targets, together with the news that no message has reported
    /// yet.
    static void deleteAll(Tx tx, Collection<UUID> targets) {
        tx.update(
                """
                with gone as (
                  select target, destination_id from alert_incident
                   where target = any (?)
                   order by target, destination_id
                     for update)
                """
                        + DELETE_GONE,
                targets);
    }
}
