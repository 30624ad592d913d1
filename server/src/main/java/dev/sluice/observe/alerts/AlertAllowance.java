package dev.sluice.observe.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// How many alert messages a workspace may send in an hour, over all its channels of one kind.
/// Mails are also limited for each mailbox, over all workspaces.
///
/// The workspace that wrote to a mailbox first is not limited by what others send there. A
/// workspace that wrote later shares the mailbox's remaining allowance with all others, so they can
/// delay its mails to the next hour.
///
/// @param kind the name of the allowance in the database
/// @param words the allowance as a phrase, such as `60 mails`
record AlertAllowance(String kind, int perHour, String words) {

    private static final int MAX_MAILS_PER_HOUR = 60;
    private static final int MAX_MAILS_OF_OTHERS_PER_HOUR = 60;
    private static final int MAX_MESSAGES_PER_HOUR = 600;

    /// How long a mailbox that gets no mail keeps its first workspace.
    private static final Duration MAILBOX_RETENTION = Duration.ofDays(30);

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

    /// Uses one message of this hour. If none is left, returns the reason as a sentence and uses
    /// nothing.
    static Optional<String> take(Tx tx, AlertConfig config, Instant now) {
        var workspace = config.workspace().value();
        var allowance = of(config.channel());
        if (!AlertMessageStore.use(tx, workspace, allowance.kind, hour(now), allowance.perHour)) {
            return Optional.of("The workspace has used its " + allowance.words + " of this hour.");
        }
        var mailbox = config.mailbox();
        if (mailbox.isPresent()
                && !AlertMessageStore.useMailbox(
                        tx, mailbox.get(), workspace, hour(now), MAX_MAILS_OF_OTHERS_PER_HOUR)) {
            AlertMessageStore.giveBack(tx, workspace, allowance.kind);
            return Optional.of("This mailbox has got its alert mails of this hour.");
        }
        return Optional.empty();
    }

    /// Removes what is not needed to count the messages of this hour.
    static void deleteObsolete(Tx tx, Instant now) {
        AlertMessageStore.deleteObsoleteUse(tx, hour(now.minus(MAILBOX_RETENTION)));
    }

    static Instant nextHour(Instant now) {
        return Instant.ofEpochSecond((hour(now) + 1) * Duration.ofHours(1).toSeconds());
    }

    private static long hour(Instant now) {
        return now.getEpochSecond() / Duration.ofHours(1).toSeconds();
    }
}
