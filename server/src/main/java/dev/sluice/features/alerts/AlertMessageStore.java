package dev.sluice.features.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Stores the alert messages that are to be sent. Also stores how many messages each workspace has
/// sent, so that [AlertAllowance] can limit them.
final class AlertMessageStore {

    /// A message that is waiting to be sent.
    record WaitingMessage(UUID id, UUID workspace, UUID target, AlertChannel channel) {}

    /// A message that one node is sending.
    ///
    /// @param tries how many times nodes have tried to send the message, including this time
    record ClaimedMessage(AlertMessage message, AlertKey key, AlertChannel channel, int tries) {}

    /// The minimum pause between two messages to the same chat.
    static final Duration CHAT_INTERVAL = Duration.ofSeconds(1);

    /// Longer than any message waits: a channel may ask for six hours, and the clocks of two nodes
    /// may differ.
    private static final Duration MAX_WAIT = Duration.ofHours(7);

    private AlertMessageStore() {}

    /// @param news the counts that the message reports, in the JSON form that [AlertStore#keepLost]
    ///   reads
    static void insert(
            Tx tx,
            AlertKey key,
            AlertChannel channel,
            AlertMessage message,
            String news,
            Instant tryAt) {
        tx.update(
                """
                insert into alert_message (id, workspace_id, target, destination_id, channel, subject,
                                           body, details, news, try_at)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)
                """,
                message.id(),
                key.workspace(),
                key.target(),
                key.destination(),
                channel.text(),
                message.subject(),
                message.text(),
                message.details(),
                news,
                tryAt);
    }

    /// Returns up to `limit` messages that are due to be sent, ordered by when they became due. A
    /// message that would wait for longer than [#MAX_WAIT] is due, too: the clock was set back.
    /// Messages of suspended workspaces wait.
    ///
    /// @param without the workspaces whose messages are left out
    /// @param withoutTargets the targets whose messages are left out
    /// @param withMail false to leave out emails
    static List<WaitingMessage> waiting(
            Tx tx,
            Collection<UUID> without,
            Collection<UUID> withoutTargets,
            boolean withMail,
            Instant now,
            int limit) {
        return tx.query(
                """
                select id, workspace_id, target, channel
                  from alert_message
                 where (try_at <= ? or try_at > ?) and workspace_id <> all (?::uuid[])
                   and workspace_id not in (
                       select id from workspace where suspended_at is not null)
                   and target <> all (?::uuid[]) and (? or channel <> 'email')
                 order by try_at
                 limit ?
                """,
                row ->
                        new WaitingMessage(
                                row.uuid("id"),
                                row.uuid("workspace_id"),
                                row.uuid("target"),
                                AlertChannel.fromText(row.text("channel"))),
                now,
                now.plus(MAX_WAIT),
                without,
                withoutTargets,
                withMail,
                limit);
    }

    /// Returns the number of unsent messages to a target, or `max` if there are more.
    static int waitingFor(Tx tx, UUID target, int max) {
        return tx.single(
                """
                select count(*) as n
                  from (select from alert_message where target = ? limit ?) as waiting
                """,
                row -> row.integer("n"),
                target,
                max);
    }

    /// Claims messages for this node and returns those that it claimed. Skips messages that another
    /// node has claimed. Claiming a message to a chat delays the other messages to that chat by
    /// [#CHAT_INTERVAL].
    ///
    /// @param messages the ids of the messages to claim; at most one of them for each chat
    /// @param until when the claim expires; from then on, another node may claim any message for
    ///   which this node has not yet recorded a result
    static List<ClaimedMessage> claim(
            Tx tx, Collection<UUID> messages, Instant now, Instant until) {
        lockChats(tx, messages);
        var claimed =
                tx.query(
                        """
                        update alert_message
                           set try_at = ?, tries = tries + 1
                         where id = any (?) and (try_at <= ? or try_at > ?)
                        returning *
                        """,
                        AlertMessageStore::claimed,
                        until,
                        messages,
                        now,
                        now.plus(MAX_WAIT));
        claimed.stream()
                .filter(message -> message.channel() == AlertChannel.MESSENGER)
                .forEach(message -> pause(tx, message.key().target(), now.plus(CHAT_INTERVAL)));
        return claimed;
    }

    /// Lets only one transaction at a time claim messages to the same chat, so that nodes cannot
    /// claim two such messages in the same second.
    private static void lockChats(Tx tx, Collection<UUID> messages) {
        tx.query(
                """
                select true as is_locked from alert_config
                 where target in (select target from alert_message
                                   where id = any (?) and channel = 'messenger')
                 order by id
                   for update
                """,
                row -> row.bool("is_locked"),
                messages);
    }

    /// Delays all messages to a target until `until` or later.
    static void pause(Tx tx, UUID target, Instant until) {
        tx.update(
                """
                update alert_message set try_at = ?
                 where target = ? and (try_at < ? or try_at > ?)
                """,
                until,
                target,
                until,
                until.plus(MAX_WAIT));
    }

    private static ClaimedMessage claimed(Row row) throws SQLException {
        return new ClaimedMessage(
                new AlertMessage(
                        row.uuid("id"), row.text("subject"), row.text("body"), row.text("details")),
                new AlertKey(
                        row.uuid("workspace_id"), row.uuid("target"), row.uuid("destination_id")),
                AlertChannel.fromText(row.text("channel")),
                row.integer("tries"));
    }

    /// Schedules another try at sending a message, unless another node has claimed the message in
    /// the meantime.
    static void retry(Tx tx, ClaimedMessage message, Instant tryAt) {
        tx.update(
                "update alert_message set try_at = ? where id = ? and tries = ?",
                tryAt,
                message.message().id(),
                message.tries());
    }

    /// Removes an abandoned message, unless another node has claimed it in the meantime.
    ///
    /// @return the counts that the message reports, in the JSON form that [AlertStore#keepLost]
    ///   reads; empty if the message was not removed
    static Optional<String> giveUp(Tx tx, ClaimedMessage message) {
        return tx.findOne(
                """
                delete from alert_message where id = ? and tries = ?
                returning news
                """,
                row -> row.text("news"),
                message.message().id(),
                message.tries());
    }

    static void delete(Tx tx, UUID id) {
        tx.update("delete from alert_message where id = ?", id);
    }

    /// Counts one message from a workspace. Returns false, and counts nothing, if the workspace has
    /// already sent `max` messages of this kind in this period.
    ///
    /// @param kind `test`, or the `kind` of an [AlertAllowance]
    /// @param period the number of the period since the start of 1970
    static boolean use(Tx tx, UUID workspace, String kind, long period, int max) {
        return tx.update(
                        """
                        insert into alert_use (workspace_id, kind, period, n)
                        values (?, ?, ?, 1)
                        on conflict (workspace_id, kind) do update
                           set n = case when alert_use.period = excluded.period
                                        then alert_use.n + 1 else 1 end,
                               period = excluded.period
                         where alert_use.period <> excluded.period or alert_use.n < ?
                        """,
                        workspace,
                        kind,
                        period,
                        max)
                == 1;
    }

    /// Removes the counts of deleted workspaces.
    static void deleteObsoleteUse(Tx tx) {
        tx.update(
                """
                delete from alert_use
                 where workspace_id in (select id from workspace where deleted_at is not null)
                """);
    }
}
