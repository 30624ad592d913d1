package dev.sluice.observe.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/// Stores the alert messages that are to be sent. Counts the messages of each workspace and mailbox
/// for their limits.
final class AlertMessageStore {

    /// A message that waits to be sent.
    record WaitingMessage(UUID id, UUID workspace, AlertChannel channel) {}

    /// A message that one node is sending.
    ///
    /// @param tries how often sending was tried, including this time
    record ClaimedMessage(
            AlertMessage message, UUID workspace, UUID target, AlertChannel channel, int tries) {}

    private AlertMessageStore() {}

    static void insert(
            Tx tx, AlertKey key, AlertChannel channel, AlertMessage message, Instant tryAt) {
        tx.update(
                """
                insert into alert_message (id, workspace_id, target, channel, subject, body, details,
                                           try_at)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                message.id(),
                key.workspace(),
                key.target(),
                channel.text(),
                message.subject(),
                message.text(),
                message.details(),
                tryAt);
    }

    /// Returns up to `limit` messages that may be sent now, ordered by the time from which they may
    /// be sent.
    ///
    /// @param without the workspaces whose messages are left out
    /// @param withMail false to leave out mails
    static List<WaitingMessage> waiting(
            Tx tx, Collection<UUID> without, boolean withMail, Instant now, int limit) {
        return tx.query(
                """
                select id, workspace_id, channel
                  from alert_message
                 where try_at <= ? and workspace_id <> all (?::uuid[]) and (? or channel <> 'email')
                 order by try_at
                 limit ?
                """,
                row ->
                        new WaitingMessage(
                                row.uuid("id"),
                                row.uuid("workspace_id"),
                                AlertChannel.fromText(row.text("channel"))),
                now,
                without,
                withMail,
                limit);
    }

    /// Returns the number of messages to a target that are not sent yet, but at most `max`.
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

    /// Claims messages for this node, and returns the claimed messages. Messages that another node
    /// has claimed are left out.
    ///
    /// @param until when another node may claim the messages if this node has not recorded a result
    static List<ClaimedMessage> claim(
            Tx tx, Collection<UUID> messages, Instant now, Instant until) {
        return tx.query(
                """
                update alert_message
                   set try_at = ?, tries = tries + 1
                 where id = any (?) and try_at <= ?
                returning *
                """,
                AlertMessageStore::claimed,
                until,
                messages,
                now);
    }

    private static ClaimedMessage claimed(Row row) throws SQLException {
        return new ClaimedMessage(
                new AlertMessage(
                        row.uuid("id"), row.text("subject"), row.text("body"), row.text("details")),
                row.uuid("workspace_id"),
                row.uuid("target"),
                AlertChannel.fromText(row.text("channel")),
                row.integer("tries"));
    }

    /// Schedules another try of a message, unless another node has claimed it since.
    static void retry(Tx tx, ClaimedMessage message, Instant tryAt) {
        tx.update(
                "update alert_message set try_at = ? where id = ? and tries = ?",
                tryAt,
                message.message().id(),
                message.tries());
    }

    static void delete(Tx tx, UUID id) {
        tx.update("delete from alert_message where id = ?", id);
    }

    /// Counts one use in a period. Returns false, and counts nothing, if the workspace has already
    /// used `max` in this period.
    ///
    /// @param kind `test`, or the kind of an [AlertAllowance]
    /// @param period the number of the hour or minute since 1970
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

    /// Gives back one use that this transaction has counted.
    static void giveBack(Tx tx, UUID workspace, String kind) {
        tx.update(
                "update alert_use set n = n - 1 where workspace_id = ? and kind = ?",
                workspace,
                kind);
    }

    /// Counts one mail to a mailbox in an hour. Returns false if other workspaces than the first
    /// have already sent `max` mails to it. The first workspace may always send.
    ///
    /// @param hour the hour since 1970
    static boolean useMailbox(Tx tx, UUID mailbox, UUID workspace, long hour, int max) {
        return tx.update(
                        """
                        insert into alert_mailbox (mailbox, workspace_id, period, n)
                        values (?, ?, ?, 0)
                        on conflict (mailbox) do update
                           set n = case when alert_mailbox.period = excluded.period
                                        then alert_mailbox.n else 0 end
                                 + case when alert_mailbox.workspace_id = excluded.workspace_id
                                        then 0 else 1 end,
                               period = excluded.period
                         where alert_mailbox.workspace_id = excluded.workspace_id
                            or alert_mailbox.period <> excluded.period
                            or alert_mailbox.n < ?
                        """,
                        mailbox,
                        workspace,
                        hour,
                        max)
                == 1;
    }

    /// Removes the counts of deleted workspaces, and of mailboxes that got no mail since an hour.
    ///
    /// @param hour the hour since 1970
    static void deleteObsoleteUse(Tx tx, long hour) {
        tx.update(
                """
                delete from alert_use
                 where workspace_id in (select id from workspace where deleted_at is not null)
                """);
        tx.update(
                """
                delete from alert_mailbox
                 where workspace_id in (select id from workspace where deleted_at is not null)
                """);
        tx.update("delete from alert_mailbox where period < ?", hour);
    }
}
