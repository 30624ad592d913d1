package dev.sluice.observe.alerts;

import dev.sluice.observe.alerts.AlertIncident.NewsKind;
import dev.sluice.observe.alerts.AlertQueries.CircuitNews;
import dev.sluice.observe.alerts.AlertQueries.NewsItem;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.SingletonLeaseStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/// Writes how far failures were taken over, and the incidents with what is to be told of them.
///
/// A transaction locks the rows of its incidents first, in [AlertKey#LOCK_ORDER]. The lock of an
/// incident also guards its news.
final class AlertStore {

    static final SingletonLeaseStore LEASE = new SingletonLeaseStore("alert_watch");

    static final Duration LEASE_DURATION = Duration.ofSeconds(30);

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

    /// Makes sure that the incidents have rows, and locks them.
    static void lock(Tx tx, Collection<AlertKey> keys) {
        var sorted = new TreeSet<>(AlertKey.LOCK_ORDER);
        sorted.addAll(keys);
        tx.updateEach(
                """
                insert into alert_incident (workspace_id, target, destination_id)
                values (?, ?, ?)
                on conflict (target, destination_id)
                   do update set workspace_id = excluded.workspace_id
                """,
                sorted.stream()
                        .map(key -> List.of(key.workspace(), key.target(), key.destination()))
                        .toList());
    }

    /// Adds news to incidents that the transaction has locked.
    static void add(Tx tx, Collection<NewsItem> news) {
        tx.updateEach(
                """
                insert into alert_news (target, destination_id, source_id, kind, n, sample, since)
                values (?, ?, ?, ?, ?, ?, ?)
                on conflict (target, destination_id, source_id, kind)
                   do update set n = alert_news.n + excluded.n, sample = excluded.sample,
                                 since = least(alert_news.since, excluded.since)
                """,
                news.stream()
                        .map(one ->
                                Arrays.<@Nullable Object>asList(
                                        one.key().target(),
                                        one.key().destination(),
                                        one.source(),
                                        one.kind().number(),
                                        one.n(),
                                        one.sample(),
                                        one.since()))
                        .toList());
    }

    /// Notes the circuits of locked incidents. A circuit that closes before anybody was told that
    /// it opened is no news.
    static void noteCircuits(Tx tx, List<CircuitNews> changes, Instant now) {
        for (var change : changes) {
            var key = change.key();
            var obsolete = change.isOpen() ? NewsKind.RECOVERED : NewsKind.OPENED;
            tx.update(
                    """
                    delete from alert_news
                     where target = ? and destination_id = ? and kind = ?
                    """,
                    key.target(),
                    key.destination(),
                    obsolete.number());
            boolean isNews =
                    tx.findOne(
                                    """
                                    update alert_incident set is_open = ?
                                     where target = ? and destination_id = ?
                                    returning is_open_told
                                    """,
                                    row -> row.bool("is_open_told"),
                                    change.isOpen(),
                                    key.target(),
                                    key.destination())
                            .map(isTold -> isTold || change.isOpen())
                            .orElse(false);
            if (isNews) {
                var kind = change.isOpen() ? NewsKind.OPENED : NewsKind.RECOVERED;
                add(tx, List.of(new NewsItem(key, key.destination(), kind, 1, null, now)));
            }
        }
    }

    /// Notes that settings of a locked incident's destination cannot be read. Returns false if that
    /// was noted before.
    static boolean noteUnreadable(Tx tx, AlertKey key) {
        return tx.update(
                        """
                        update alert_incident set is_unreadable = true
                         where target = ? and destination_id = ? and not is_unreadable
                        """,
                        key.target(),
                        key.destination())
                == 1;
    }

    /// Notes that the settings of all other destinations can be read.
    static void noteReadable(Tx tx, Collection<UUID> unreadable) {
        tx.update(
                """
                update alert_incident set is_unreadable = false
                 where is_unreadable and destination_id <> all (?::uuid[])
                """,
                unreadable);
    }

    /// An incident, and the kinds of its news.
    record StoredIncident(
            AlertIncident incident,
            Set<NewsKind> news,
            boolean isUnreadable,
            Optional<Instant> dueAt) {

        boolean isDue(Instant now) {
            return dueAt.isPresent() && !dueAt.get().isAfter(now);
        }

        boolean isForgotten(Instant now) {
            return news.isEmpty() && !isUnreadable && incident.isForgotten(now);
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
        for (var key : keys) {
            find(tx, key)
                    .ifPresent(
                            stored -> setDue(tx, key, stored.incident().dueAt(stored.news(), now)));
        }
    }

    static void setDue(Tx tx, AlertKey key, Optional<Instant> dueAt) {
        tx.update(
                "update alert_incident set due_at = ? where target = ? and destination_id = ?",
                dueAt.orElse(null),
                key.target(),
                key.destination());
    }

    /// Returns the incidents that are due, the longest waiting first.
    static List<AlertKey> due(Tx tx, Instant now, int limit) {
        return tx.query(
                """
                select workspace_id, target, destination_id
                  from alert_incident
                 where due_at <= ?
                 order by due_at
                 limit ?
                """,
                AlertStore::key,
                now,
                limit);
    }

    private static AlertKey key(Row row) throws SQLException {
        return new AlertKey(
                row.uuid("workspace_id"), row.uuid("target"), row.uuid("destination_id"));
    }

    /// Locks an incident and returns it.
    static Optional<StoredIncident> find(Tx tx, AlertKey key) {
        return tx.findOne(
                INCIDENTS + " where target = ? and destination_id = ? for update of alert_incident",
                AlertStore::incident,
                key.target(),
                key.destination());
    }

    private static StoredIncident incident(Row row) throws SQLException {
        var news = EnumSet.noneOf(NewsKind.class);
        row.integers("kinds").forEach(kind -> NewsKind.fromNumber(kind).ifPresent(news::add));
        return new StoredIncident(
                new AlertIncident(
                        row.integer("messages"),
                        row.instantOrNone("last_at"),
                        row.bool("is_open"),
                        row.bool("is_open_told")),
                news,
                row.bool("is_unreadable"),
                row.instantOrNone("due_at"));
    }

    /// Stores that a locked incident was told, and removes its news.
    static void saveTold(Tx tx, AlertKey key, AlertIncident told) {
        deleteNews(tx, key);
        tx.update(
                """
                update alert_incident
                   set messages = ?, last_at = ?, is_open_told = ?, due_at = null
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

    /// Returns up to `limit` incidents that may be over: nothing is due and the last message is
    /// some time ago, or nobody is told any more.
    static List<AlertKey> idle(Tx tx, Instant lastBefore, int limit) {
        return tx.query(
                """
                select workspace_id, target, destination_id
                  from alert_incident
                 where not exists (select from alert_config
                                    where alert_config.target = alert_incident.target and enabled)
                    or (due_at is null and not is_open and not is_unreadable
                        and (last_at is null or last_at < ?))
                 limit ?
                """,
                AlertStore::key,
                lastBefore,
                limit);
    }

    static boolean hasChannel(Tx tx, UUID target) {
        return tx.single(
                """
                select exists (select from alert_config where target = ? and enabled) as has_channel
                """,
                row -> row.bool("has_channel"),
                target);
    }
}
