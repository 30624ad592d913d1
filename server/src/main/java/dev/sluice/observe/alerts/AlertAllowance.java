package dev.sluice.observe.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.observe.alerts.AlertMessageStore.MailboxUse;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The number of alert messages that a workspace may send in any hour, over all its channels of one
/// kind. Mails are also limited for each mailbox, over all workspaces.
///
/// One half of a mailbox's limit is reserved for the workspace that wrote to the mailbox first, so
/// that others cannot silence it. All other workspaces share the other half.
///
/// @param kind the name of the allowance in the database
/// @param words the allowance as a phrase, such as `60 mails`
record AlertAllowance(String kind, int perHour, String words) {

    private static final int MAX_MAILS_PER_HOUR = 60;
    private static final int MAX_MAILS_OF_OTHERS_PER_HOUR = 30;
    private static final int MAX_MESSAGES_PER_HOUR = 600;

    /// How long a mailbox that gets no mail keeps its first workspace.
    private static final Duration MAILBOX_RETENTION = Duration.ofDays(30);

    /// A message that may not be sent now.
    ///
    /// @param reason one sentence for the people of the workspace
    /// @param until when the message may be sent, if no other message is sent before
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

    /// Uses up one message of the allowance. If none is left, returns the reason and uses nothing.
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

    /// Removes rows that are not needed to count the messages of the last hour.
    static void deleteObsolete(Tx tx, Instant now) {
        AlertMessageStore.deleteObsoleteUse(tx, SlidingHour.minute(now.minus(MAILBOX_RETENTION)));
    }
}
