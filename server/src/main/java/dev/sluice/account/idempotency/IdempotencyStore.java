package dev.sluice.account.idempotency;

import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Stores idempotency keys, each with the response to its request. The responses are encrypted
/// ("sealed"), because they can contain secrets.
public final class IdempotencyStore {

    private IdempotencyStore() {}

    /// Returns the sealed response stored under an owner's key, or empty if the key was not used
    /// after `since`.
    static Optional<byte[]> find(Tx tx, UUID owner, String key, Instant since) {
        return tx.findOne(
                """
                select answer
                  from idempotency_key
                 where owner_id = ? and key = ? and created_at > ?
                """,
                row -> row.bytes("answer"),
                owner,
                key,
                since);
    }

    /// Stores a key with its response. A stored key that was used at or before `since` is replaced.
    /// If another transaction has inserted the same key and is still open, this call waits until
    /// that transaction ends.
    ///
    /// @return false if the key is already stored and was used after `since`; in that case, nothing
    ///   is changed
    static boolean insert(
            Tx tx, UUID owner, String key, byte[] answer, Instant now, Instant since) {
        return tx.update(
                        """
                        insert into idempotency_key (owner_id, key, answer, created_at)
                        values (?, ?, ?, ?)
                            on conflict (owner_id, key)
                            do update set answer = excluded.answer, created_at = excluded.created_at
                         where idempotency_key.created_at <= ?
                        """,
                        owner,
                        key,
                        answer,
                        now,
                        since)
                == 1;
    }

    /// How many keys an owner has, and the bytes of their responses.
    record KeyUse(long keys, long bytes) {}

    static KeyUse use(Tx tx, UUID owner) {
        return tx.single(
                """
                select count(*) as keys, coalesce(sum(octet_length(answer)), 0) as bytes
                  from idempotency_key
                 where owner_id = ?
                """,
                row -> new KeyUse(row.number("keys"), row.number("bytes")),
                owner);
    }

    /// Replaces the response stored under a key if it is still `placeholder`. Otherwise changes
    /// nothing: either the key has been deleted, or a repeated request has stored it again in the
    /// meantime, with its own response.
    static void replace(Tx tx, UUID owner, String key, byte[] placeholder, byte[] answer) {
        tx.update(
                """
                update idempotency_key
                   set answer = ?
                 where owner_id = ? and key = ? and answer = ?
                """,
                answer,
                owner,
                key,
                placeholder);
    }

    /// Deletes a key if the response stored under it is still `placeholder`.
    static void delete(Tx tx, UUID owner, String key, byte[] placeholder) {
        tx.update(
                "delete from idempotency_key where owner_id = ? and key = ? and answer = ?",
                owner,
                key,
                placeholder);
    }

    /// Deletes up to `limit` keys that were used at or before `until`. Returns the number of
    /// deleted keys.
    static int deleteUntil(Tx tx, Instant until, int limit) {
        return tx.update(
                """
                delete from idempotency_key
                 where ctid = any (array(select ctid
                                           from idempotency_key
                                          where created_at <= ?
                                          limit ?))
                """,
                until,
                limit);
    }

    /// Deletes all keys that belong to an owner, which is a workspace or an account.
    public static void deleteAll(Tx tx, UUID owner) {
        tx.update("delete from idempotency_key where owner_id = ?", owner);
    }
}
