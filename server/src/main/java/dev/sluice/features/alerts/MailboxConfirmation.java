package dev.sluice.features.alerts;

import dev.sluice.features.alerts.AlertAllowance.LimitReached;
import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.gateway.alertconfig.MailboxConfirmationStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.secret.Sha256;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Keeps alerts from a mailbox until its owner has agreed to get them, and asks the owner by mail.
/// The mail waits with the alert messages, so it is sent even if this node dies.
public final class MailboxConfirmation {

    private static final int TOKEN_LENGTH = 43; // more than 255 random bits
    private static final Duration POSTPONEMENT = Duration.ofMinutes(10);

    private final String baseUrl;
    private final SecretGenerator random;
    private final Uuid7 ids;

    /// @param baseUrl the server's public address, for the link
    public MailboxConfirmation(String baseUrl, SecretGenerator random, Uuid7 ids) {
        this.baseUrl = baseUrl;
        this.random = random;
        this.ids = ids;
    }

    /// Returns why the channel may not send now, or empty if it may. If the channel's mailbox is
    /// not confirmed, asks the owner, unless the owner was asked too recently. Such a mail counts
    /// against the workspace's mails of the hour.
    ///
    /// @param target the channel's stored target
    /// @param minAge how old the last mail that asked for this target must be
    Optional<LimitReached> check(
            Tx tx, AlertConfig config, UUID target, Duration minAge, Instant now) {
        var mailbox = config.mailbox();
        if (mailbox.isEmpty() || MailboxConfirmationStore.isConfirmed(tx, target)) {
            return Optional.empty();
        }
        if (!config.isEnabled()) {
            return Optional.of(
                    new LimitReached(
                            "This mailbox is not confirmed. Its owner is asked once the channel is"
                                    + " enabled.",
                            now.plus(POSTPONEMENT)));
        }
        String token = random.base62(TOKEN_LENGTH);
        if (MailboxConfirmationStore.ask(
                tx, target, mailbox.get(), Sha256.hash(token), minAge, now)) {
            var limit = AlertAllowance.take(tx, config, now);
            if (limit.isPresent()) {
                MailboxConfirmationStore.forget(tx, target);
                return limit;
            }
            AlertMessageStore.insert(
                    tx,
                    AlertKey.ofTarget(config.workspace().value(), target),
                    AlertChannel.EMAIL,
                    message(token),
                    "{\"counts\":[]}",
                    now);
        }
        return Optional.of(
                new LimitReached(
                        "This mailbox is not confirmed: its owner must open the link in the mail"
                                + " that asks for it.",
                        now.plus(POSTPONEMENT)));
    }

    /// The mail names no workspace. Otherwise, anybody could send a text of their own to a
    /// stranger.
    private AlertMessage message(String token) {
        return new AlertMessage(
                ids.next(),
                "Sluice: confirm this mailbox for alerts",
                """
                Somebody at %s wants alerts about failed
                deliveries of webhooks to be sent to this mailbox.

                If that is right, open this page within a week and confirm it:

                %s/confirm-mailbox#%s

                Otherwise ignore this mail. Nothing else will be sent to you.
                """
                        .formatted(baseUrl, baseUrl, token),
                "{}");
    }
}
