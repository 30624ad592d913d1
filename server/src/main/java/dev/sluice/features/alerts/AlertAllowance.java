package dev.sluice.features.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The number of alert messages that a workspace may send in an hour of the clock through all its
/// channels of one kind.
///
/// @param kind the name of the allowance in the database
/// @param words the allowance as a phrase, such as `60 mails`
record AlertAllowance(String kind, int perHour, String words) {

    private static final int MAX_MAILS_PER_HOUR = 60;
    private static final int MAX_MESSAGES_PER_HOUR = 600;

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

    /// Counts one message against the workspace's allowance. If it is used up, counts nothing and
    /// returns the reason.
    static Optional<LimitReached> take(Tx tx, AlertConfig config, Instant now) {
        var allowance = of(config.channel());
        long seconds = Duration.ofHours(1).toSeconds();
        long hour = Math.floorDiv(now.getEpochSecond(), seconds);
        return AlertMessageStore.use(
                        tx, config.workspace().value(), allowance.kind, hour, allowance.perHour)
                ? Optional.empty()
                : Optional.of(
                        new LimitReached(
                                "The workspace has used its " + allowance.words + " of this hour.",
                                Instant.ofEpochSecond((hour + 1) * seconds)));
    }
}
