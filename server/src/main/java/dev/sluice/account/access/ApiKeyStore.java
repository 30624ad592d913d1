package dev.sluice.account.access;

import dev.sluice.account.workspace.Suspension;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Secret;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Stores API keys: inserts, lists and deletes them, finds them by their hash, and records their
/// last use.
final class ApiKeyStore {

    /// A request updates `last_used_at` only if it is not set yet or is at least this old, so most
    /// requests do not change the key's row.
    private static final Duration LAST_USED_UPDATE_INTERVAL = Duration.ofMinutes(1);

    private static final String LISTED_KEYS =
            """
            select api_key.id, api_key.name, prefix, access, created_by,
                   account.name as creator_name, api_key.created_at, last_used_at, expires_at
              from api_key
              left join account on account.id = created_by
            """;

    /// A key to be stored.
    ///
    /// @param createdBy the account of the person who creates the key; empty if the operator
    ///   creates it
    /// @param expiresAt empty if the key does not expire
    record NewKey(
            UUID id,
            WorkspaceId workspace,
            Optional<UUID> createdBy,
            String name,
            KeyAccess access,
            Optional<Instant> expiresAt,
            Secret key) {}

    /// A stored API key, as loaded for a request.
    ///
    /// @param plan the name of the workspace's plan
    /// @param suspension the suspension of the workspace; empty if it is not suspended
    /// @param isUseRecorded whether `last_used_at` is so recent that it need not be updated
    record ApiKeyRecord(
            UUID id,
            WorkspaceId workspace,
            Optional<UUID> createdBy,
            String plan,
            KeyAccess access,
            Optional<Instant> expiresAt,
            Optional<Suspension> suspension,
            boolean isUseRecorded) {

        boolean isExpired(Instant now) {
            return expiresAt.isPresent() && !now.isBefore(expiresAt.get());
        }
    }

    /// A stored API key, as shown in a list.
    ///
    /// @param creator empty if the creator's account no longer exists, or if the operator created
    ///   the key
    record ListedKey(
            UUID id,
            String name,
            String prefix,
            KeyAccess access,
            Optional<Creator> creator,
            Instant createdAt,
            Optional<Instant> lastUsedAt,
            Optional<Instant> expiresAt) {

        record Creator(UUID id, String name) {}
    }

    private ApiKeyStore() {}

    static void insert(Tx tx, NewKey key, Instant now) {
        tx.update(
                """
                insert into api_key (id, workspace_id, created_by, name, prefix, hash, created_at,
                                     access, expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                key.id(),
                key.workspace().value(),
                key.createdBy().orElse(null),
                key.name(),
                ApiKey.prefix(key.key()),
                ApiKey.hash(key.key().reveal()),
                now,
                key.access().text(),
                key.expiresAt().orElse(null));
    }

    static int count(Tx tx, WorkspaceId workspace) {
        return tx.single(
                "select count(*) as n from api_key where workspace_id = ?",
                row -> row.integer("n"),
                workspace.value());
    }

    /// Returns a workspace's keys, newest first.
    static List<ListedKey> list(Tx tx, WorkspaceId workspace) {
        return tx.query(
                LISTED_KEYS
                        + " where workspace_id = ? order by api_key.created_at desc, api_key.id"
                        + " desc",
                ApiKeyStore::listedKey,
                workspace.value());
    }

    static Optional<ListedKey> find(Tx tx, WorkspaceId workspace, UUID id) {
        return tx.findOne(
                LISTED_KEYS + " where workspace_id = ? and api_key.id = ?",
                ApiKeyStore::listedKey,
                workspace.value(),
                id);
    }

    private static ListedKey listedKey(Row row) throws SQLException {
        var creatorName = row.textOrNone("creator_name");
        return new ListedKey(
                row.uuid("id"),
                row.text("name"),
                row.text("prefix"),
                KeyAccess.parse(row.text("access")),
                creatorName.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                new ListedKey.Creator(row.uuid("created_by"), creatorName.get())),
                row.instant("created_at"),
                row.instantOrNone("last_used_at"),
                row.instantOrNone("expires_at"));
    }

    /// Deletes a key. Returns false if the workspace has no such key.
    static boolean delete(Tx tx, WorkspaceId workspace, UUID id) {
        return tx.update(
                        "delete from api_key where workspace_id = ? and id = ?",
                        workspace.value(),
                        id)
                > 0;
    }

    /// Deletes all of a workspace's keys.
    static void deleteAll(Tx tx, WorkspaceId workspace) {
        tx.update("delete from api_key where workspace_id = ?", workspace.value());
    }

    /// Finds a key by its hash. Returns empty if no existing workspace has a key with this hash.
    /// The returned key may have expired.
    static Optional<ApiKeyRecord> find(Tx tx, byte[] hash, Instant now) {
        return tx.findOne(
                """
                select api_key.id, workspace_id, created_by, plan, access, expires_at,
                       suspended_at, suspension_reason,
                       coalesce(last_used_at > ?, false) as is_use_noted
                  from api_key
                  join workspace on workspace.id = workspace_id and deleted_at is null
                 where hash = ?
                """,
                row ->
                        new ApiKeyRecord(
                                row.uuid("id"),
                                new WorkspaceId(row.uuid("workspace_id")),
                                creator(row),
                                row.text("plan"),
                                KeyAccess.parse(row.text("access")),
                                row.instantOrNone("expires_at"),
                                Suspension.read(row),
                                row.bool("is_use_noted")),
                now.minus(LAST_USED_UPDATE_INTERVAL),
                hash);
    }

    /// Whether any existing workspace has an unexpired key with this hash.
    static boolean isValid(Tx tx, byte[] hash, Instant now) {
        return find(tx, hash, now).filter(key -> !key.isExpired(now)).isPresent();
    }

    private static Optional<UUID> creator(Row row) throws SQLException {
        return row.isNull("created_by") ? Optional.empty() : Optional.of(row.uuid("created_by"));
    }

    /// Removes the reference to an account from the API keys that it created. Call this before the
    /// account is deleted. The keys stay valid.
    static void forgetCreator(Tx tx, UUID account) {
        tx.update("update api_key set created_by = null where created_by = ?", account);
    }

    /// Sets the key's `last_used_at` to `now`, unless the stored value is recent enough.
    static void recordUse(Tx tx, ApiKeyRecord key, Instant now) {
        if (!key.isUseRecorded()) {
            tx.update("update api_key set last_used_at = ? where id = ?", now, key.id());
        }
    }
}
