package dev.sluice.features.alerts;

import dev.sluice.features.alerts.AlertMessageStore.MailboxUse;
import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The number of alert messages that a workspace may send in any one hour through all its channels
/// of one kind. There is also a limit for each mailbox, which covers the emails from all workspaces
/// combined.
///
/// Half of a mailbox's limit is reserved for the workspace that sent mail to the mailbox first, so
/// that other workspaces cannot block that workspace's alerts. All other workspaces together may
/// use at most the other half.
///
/// @param kind the name of the allowance in the database
/// @param words the allowance as a phrase, such as `60 mails`
record AlertAllowance(String kind, int perHour, String words) {

    private static final int MAX_MAILS_PER_HOUR = 60;
    private static final int MAX_MAILS_OF_OTHERS_PER_HOUR = 30;
    private static final int MAX_MESSAGES_PER_HOUR = 600;

    /// How long Sluice remembers which workspace first sent mail to a mailbox, if the mailbox gets
    /// no more mail.
    private static final Duration MAILBOX_RETENTION = Duration.ofDays(30);

    /// The reason why a message may not be sent now.
    ///
    /// @param reason one sentence, shown to the workspace's users
    /// @param until when the message may be sent, provided that no other message is sent before
    ///   then
    record LimitReached(String reason, Instant until) {}

    private static AlertAllowance of(AlertChannel channel) {
        return switch (channel) {
            case EMAIL ->
                    new AlertAllowance("mail", MAX_MAILS_PER_HOUR, MAX_MAILS_PER_HOUR + " mails");
            case MESSENGER ->
                    new AlertAllowance(
                            channel.text(),
                            MAX_MESSAGES_PER_HOUR,
                            MAX_MESSAGES_PER_HOUR + " messages of the messenger");
            case WEBHOOK ->
                    new AlertAllowance(
                            channel.text(),
                            MAX_MESSAGES_PER_HOUR,
                            MAX_MESSAGES_PER_HOUR + " webhooks");
        };
    }

    /// Counts one message against the workspace's allowance and the mailbox's limit. If either is
    /// used up, counts nothing and returns the reason.
    static Optional<LimitReached> take(Tx tx, AlertConfig config, Instant now) {
        var workspace = config.workspace().value();
        var allowance = of(config.channel());
        var use = AlertMessageStore.lockUse(tx, workspace, allowance.kind).at(now);
        if (use.sum() >= allowance.perHour) {
            return Optional.of(
                    new LimitReached(
                            "The workspace has used its " + allowance.words + " of the last hour.",
                            use.isBelowAt(allowance.perHour)));
        }
        var refusal =
                config.mailbox().flatMap(mailbox -> takeFromMailbox(tx, mailbox, workspace, now));
        if (refusal.isEmpty()) {
            AlertMessageStore.saveUse(tx, workspace, allowance.kind, use.plusOne());
        }
        return refusal;
    }

    private static Optional<LimitReached> takeFromMailbox(
            Tx tx, UUID mailbox, UUID workspace, Instant now) {
        var stored = AlertMessageStore.lockMailbox(tx, mailbox, workspace);
        boolean isFirst = stored.firstWorkspace().equals(workspace);
        var all = stored.all().at(now);
        var others = stored.others().at(now);
        boolean isFull = all.sum() >= MAX_MAILS_PER_HOUR;
        boolean isFullForOthers = !isFirst && others.sum() >= MAX_MAILS_OF_OTHERS_PER_HOUR;
        if (isFull || isFullForOthers) {
            var until =
                    isFull
                            ? all.isBelowAt(MAX_MAILS_PER_HOUR)
                            : others.isBelowAt(MAX_MAILS_OF_OTHERS_PER_HOUR);
            return Optional.of(
                    new LimitReached(
                            "This mailbox has got its alert mails of the last hour.", until));
        }
        AlertMessageStore.saveMailbox(
                tx,
                mailbox,
                new MailboxUse(
                        stored.firstWorkspace(),
                        all.plusOne(),
                        isFirst ? others : others.plusOne()));
        return Optional.empty();
    }

    /// Removes the counts that are no longer needed: those of deleted workspaces, those of
    /// mailboxes whose first workspace is deleted, and those of mailboxes that have received no
    /// mail for [#MAILBOX_RETENTION].
    static void deleteObsolete(Tx tx, Instant now) {
        AlertMessageStore.deleteObsoleteUse(tx, SlidingHour.minute(now.minus(MAILBOX_RETENTION)));
    }
}
