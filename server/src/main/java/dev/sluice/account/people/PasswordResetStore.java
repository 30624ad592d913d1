package dev.sluice.account.people;

import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Stores password resets. An account has at most one reset, which is looked up by the hash of the
/// reset's token.
public final class PasswordResetStore {

    /// How long the link in the e-mail works.
    static final Duration LIFETIME = Duration.ofHours(1);

    /// How old a reset must be before a new one may replace it. Until then, the e-mail with the
    /// link may still be on its way.
    static final Duration MIN_INTERVAL = Duration.ofMinutes(5);

    private PasswordResetStore() {}

    /// Stores a reset, replacing the account's earlier one if it has one. Returns false and changes
    /// nothing if the earlier one was created less than five minutes ago.
    static boolean replace(Tx tx, UUID account, byte[] tokenHash, Instant now) {
        return tx.update(
                        """
                        insert into password_reset (account_id, token_hash, created_at, expires_at)
                        values (?, ?, ?, ?)
                        on conflict (account_id) do update
                           set token_hash = excluded.token_hash,
                               created_at = excluded.created_at,
                               expires_at = excluded.expires_at
                         where password_reset.created_at not between ? and ?
                        """,
                        account,
                        tokenHash,
                        now,
                        now.plus(LIFETIME),
                        now.minus(MIN_INTERVAL).plusMillis(1),
                        now)
                > 0;
    }

    /// Returns the account whose password this token may set, or empty if the token is unknown or
    /// has expired.
    static Optional<UUID> find(Tx tx, byte[] tokenHash, Instant now) {
        return tx.findOne(
                "select account_id from password_reset where token_hash = ? and expires_at > ?",
                row -> row.uuid("account_id"),
                tokenHash,
                now);
    }

    /// Like `find`, but also deletes the reset, so that the token works only once.
    static Optional<UUID> take(Tx tx, byte[] tokenHash, Instant now) {
        return tx.findOne(
                """
                delete from password_reset
                 where token_hash = ?
                   and expires_at > ?
                returning account_id
                """,
                row -> row.uuid("account_id"),
                tokenHash,
                now);
    }

    public static void delete(Tx tx, UUID account) {
        tx.update("delete from password_reset where account_id = ?", account);
    }

    /// Deletes the resets that have expired by `now`.
    public static void deleteExpired(Tx tx, Instant now) {
        tx.update("delete from password_reset where expires_at <= ?", now);
    }
}
