package dev.sluice.observe.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/// Writes the messages that are to be sent, and what a workspace has used of its limits.
final class AlertMessageStore {

    /// A message that waits to be sent.
    record WaitingMessage(UUID id, UUID workspace, AlertChannel channel) {}

    /// A message that one node is sending.
    ///
    /// @param tries how often it was tried, including this time
    record ClaimedMessage(AlertMessage message, UUID workspace, UUID target, int tries) {}

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

    /// Returns messages that may be sent now, the longest waiting first.
    ///
    /// @param without workspaces whose messages are left out
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

    /// Returns how many messages wait for a target, as far as up to `max`.
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

    /// Claims messages for this node, and returns those that no other node has claimed.
    ///
    /// @param until when another node may try, if this one does not say how it went
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
                row.integer("tries"));
    }

    /// Lets a message be tried again, unless another node has claimed it since.
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

    /// Takes one of what a workspace may use in a period. Returns false if all is used.
    ///
    /// @param kind `test`, or the kind of an [AlertAllowance]
    /// @param period the hour or minute since 1970
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

    /// Removes what deleted workspaces used.
    static void deleteUseOfDeleted(Tx tx) {
        tx.update(
                """
                delete from alert_use
                 where workspace_id in (select id from workspace where deleted_at is not null)
                """);
    }
}
