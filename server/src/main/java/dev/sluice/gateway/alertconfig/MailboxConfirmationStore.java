package dev.sluice.gateway.alertconfig;

import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import java.util.UUID;

/// Stores which mailboxes of alert channels their owners have confirmed. A mailbox is confirmed for
/// one workspace; see [AlertConfig#target].
public final class MailboxConfirmationStore {

    /// How long the link in the mail works.
    public static final Duration LIFETIME = Duration.ofDays(7);

    /// The minimum time between two mails that ask the owner of a mailbox, over all workspaces.
    public static final Duration MIN_INTERVAL = Duration.ofDays(1);

    private MailboxConfirmationStore() {}

    /// Adds the channel's mailbox, if the channel sends mail and the workspace does not have the
    /// mailbox yet. The mailbox of a member of the workspace, or in a trusted domain, needs no
    /// confirmation, so it is confirmed at once.
    ///
    /// @param trustedDomains domains in lower case
    static void add(Tx tx, AlertConfig config, Collection<String> trustedDomains, Instant now) {
        config.mailbox()
                .ifPresent(mailbox -> {
                    String address = config.address().toLowerCase(Locale.ROOT);
                    String domain = address.substring(address.lastIndexOf('@') + 1);
                    add(tx, config, mailbox, trustedDomains.contains(domain), address, now);
                });
    }

    private static void add(
            Tx tx,
            AlertConfig config,
            UUID mailbox,
            boolean isTrusted,
            String address,
            Instant now) {
        tx.update(
                """
                insert into mailbox_confirmation (target, workspace_id, mailbox, confirmed_at)
                select ?::uuid, ?::uuid, ?::uuid,
                       case when ?::boolean
                              or exists (select from member
                                           join account on account.id = account_id
                                          where workspace_id = ? and email = ?)
                            then ?::timestamptz end
                on conflict (target)
                   do update set confirmed_at =
                             coalesce(mailbox_confirmation.confirmed_at, excluded.confirmed_at)
                """,
                config.target(),
                config.workspace().value(),
                mailbox,
                isTrusted,
                config.workspace().value(),
                address,
                now);
    }

    /// Forgets that the owner of a mailbox was asked for a target, because no mail was made.
    public static void forget(Tx tx, UUID target) {
        tx.update(
                """
                update mailbox_confirmation
                   set asked_at = null, token_hash = null
                 where target = ? and confirmed_at is null
                """,
                target);
    }

    /// Ends the link for a target, because the mail could not be sent. The owner may be asked again
    /// [#MIN_INTERVAL] after that mail: it may have arrived all the same.
    public static void endLink(Tx tx, UUID target) {
        tx.update("update mailbox_confirmation set token_hash = null where target = ?", target);
    }

    public static boolean isConfirmed(Tx tx, UUID target) {
        return tx.single(
                """
                select exists (select from mailbox_confirmation
                                where target = ? and confirmed_at is not null) as is_confirmed
                """,
                row -> row.bool("is_confirmed"),
                target);
    }

    /// Records that the owner of a mailbox is asked now. Returns false and changes nothing if the
    /// mailbox is confirmed, if the owner was asked for this target less than `minAge` ago and has
    /// the link, or if the owner was asked for any workspace less than [#MIN_INTERVAL] ago.
    ///
    /// @param tokenHash the hash of the token in the mailed link
    public static boolean ask(
            Tx tx, UUID target, UUID mailbox, byte[] tokenHash, Duration minAge, Instant now) {
        tx.query(
                """
                select true as is_locked from mailbox_confirmation
                 where mailbox = ?
                 order by target
                   for update
                """,
                row -> row.bool("is_locked"),
                mailbox);
        return tx.update(
                        """
                        update mailbox_confirmation
                           set token_hash = ?, asked_at = ?
                         where target = ? and confirmed_at is null
                           and (token_hash is null or asked_at <= ?)
                           and not exists (select from mailbox_confirmation as other
                                            where other.mailbox = ? and other.asked_at > ?)
                        """,
                        tokenHash,
                        now,
                        target,
                        now.minus(minAge),
                        mailbox,
                        now.minus(MIN_INTERVAL))
                == 1;
    }

    /// Confirms the mailbox whose owner was sent this token. Returns false if the token is unknown,
    /// was used, or has expired.
    static boolean confirm(Tx tx, byte[] tokenHash, Instant now) {
        return tx.update(
                        """
                        update mailbox_confirmation
                           set confirmed_at = ?, token_hash = null
                         where token_hash = ? and asked_at > ?
                        """,
                        now,
                        tokenHash,
                        now.minus(LIFETIME))
                == 1;
    }

    /// Removes the mailboxes that no channel has any more, but not within [#MIN_INTERVAL] of the
    /// last mail that asked the owner.
    public static void deleteObsolete(Tx tx, Instant now) {
        tx.update(
                """
                delete from mailbox_confirmation
                 where (asked_at is null or asked_at <= ?)
                   and not exists (select from alert_config
                                    where alert_config.target = mailbox_confirmation.target)
                """,
                now.minus(MIN_INTERVAL));
    }
}
