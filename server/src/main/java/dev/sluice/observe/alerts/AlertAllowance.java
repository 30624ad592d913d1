package dev.sluice.observe.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// How many messages a workspace has in an hour, over all its channels of one kind.
///
/// @param kind names it in the database
/// @param words the number and what it is, for people
record AlertAllowance(String kind, int perHour, String words) {

    private static final int MAX_MAILS_PER_HOUR = 60;
    private static final int MAX_MESSAGES_PER_HOUR = 600;

    static AlertAllowance of(AlertChannel channel) {
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

    /// Takes one. Returns false if all of this hour are used.
    boolean take(Tx tx, UUID workspace, Instant now) {
        return AlertMessageStore.use(tx, workspace, kind, hour(now), perHour);
    }

    static Instant nextHour(Instant now) {
        return Instant.ofEpochSecond((hour(now) + 1) * Duration.ofHours(1).toSeconds());
    }

    private static long hour(Instant now) {
        return now.getEpochSecond() / Duration.ofHours(1).toSeconds();
    }
}
