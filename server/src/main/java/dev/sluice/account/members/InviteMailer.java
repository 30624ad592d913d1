package dev.sluice.account.members;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.LeastRecentlyUsed;
import dev.sluice.account.workspace.Invite;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.platform.mail.MailMessage;
import dev.sluice.platform.mail.MailQueue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/// Sends invites by e-mail. Anyone with an account can invite strangers, so the e-mails are
/// rate-limited: at most 20 an hour from each person, and at most three an hour to each address.
/// The counts are kept in memory, so the limits apply per node. Beyond 10,000 counts, the least
/// recently used are forgotten. Thread-safe.
public final class InviteMailer {

    static final int MAX_MAILS_PER_SENDER = 20;
    static final int MAX_MAILS_PER_ADDRESS = 3;

    private static final Duration WINDOW = Duration.ofHours(1);
    private static final int MAX_COUNTS = 10_000;
    private static final int MAX_NAME_LENGTH = 60;

    private record MailCount(int number, Instant first) {

        boolean isOld(Instant now) {
            return Duration.between(first, now).abs().compareTo(WINDOW) >= 0;
        }
    }

    private final Optional<MailQueue> mail;
    private final String baseUrl;
    private final InstantSource clock;

    /// The number of e-mails that each sender (by account id) has sent and that each invited
    /// address has received. A count covers the hour that begins with its first e-mail.
    private final Map<String, MailCount> counts = new LeastRecentlyUsed<>(MAX_COUNTS);

    /// @param mail empty if the server sends no mail
    /// @param baseUrl the server's public address; links in e-mails begin with it
    public InviteMailer(Optional<MailQueue> mail, String baseUrl, InstantSource clock) {
        this.mail = mail;
        this.baseUrl = baseUrl;
        this.clock = clock;
    }

    /// Returns the link to the page on which the invited person accepts the invite.
    String link(String token) {
        return baseUrl + "/invite#" + token;
    }

    /// Queues the e-mail for a new invite. Returns false if it is not queued, because the server
    /// sends no mail, a limit is reached or the queue is full. The person who created the invite
    /// must then pass on the link.
    boolean offer(Invite invite, Workspace workspace, Account inviter, String token) {
        return mail.isPresent()
                && takeTurn(invite.email(), inviter)
                && mail.get().offer(message(invite, workspace, inviter, token));
    }

    private synchronized boolean takeTurn(String email, Account inviter) {
        var now = clock.instant();
        String sender = inviter.id().toString();
        if (count(sender, now) >= MAX_MAILS_PER_SENDER
                || count(email, now) >= MAX_MAILS_PER_ADDRESS) {
            return false;
        }
        add(sender, now);
        add(email, now);
        return true;
    }

    private int count(String key, Instant now) {
        return Optional.ofNullable(counts.get(key))
                .filter(count -> !count.isOld(now))
                .map(MailCount::number)
                .orElse(0);
    }

    private void add(String key, Instant now) {
        counts.merge(
                key,
                new MailCount(1, now),
                (before, first) ->
                        before.isOld(now)
                                ? first
                                : new MailCount(before.number() + 1, before.first()));
    }

    private MailMessage message(Invite invite, Workspace workspace, Account inviter, String token) {
        String name = MailMessage.oneLine(workspace.name(), MAX_NAME_LENGTH);
        return new MailMessage(
                invite.email(),
                "Invite to the workspace \"" + name + "\" in Sluice",
                """
                %s (%s) invites you to the workspace
                "%s" at %s.

                Accept here within seven days. The link works once, and only for an account
                with the address %s.

                %s

                If you do not know the sender, ignore this mail.
                """
                        .formatted(
                                MailMessage.oneLine(inviter.name(), MAX_NAME_LENGTH),
                                inviter.email(),
                                name,
                                baseUrl,
                                invite.email(),
                                link(token)));
    }
}
