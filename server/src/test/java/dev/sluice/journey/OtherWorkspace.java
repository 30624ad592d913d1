package dev.sluice.journey;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.Api;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.UUID;

/// A further workspace, made in the database: the API makes none yet.
final class OtherWorkspace {

    private OtherWorkspace() {}

    /// @return a client with its key
    static Api on(RunningSluice sluice, String plan) {
        String key = "slk_other_" + UUID.randomUUID();
        UUID workspace = UUID.randomUUID();
        UUID owner = UUID.randomUUID();
        var now = Instant.now();
        try (var db = sluice.db()) {
            db.run(tx -> {
                tx.update(
                        """
                        with next as (
                          update config_version set version = version + 1 returning version)
                        insert into workspace (id, name, plan, created_at, updated_at, version)
                        select ?, 'Other', ?, ?, ?, version from next
                        """,
                        workspace,
                        plan,
                        now,
                        now);
                tx.update(
                        """
                        insert into account (id, email, name, password_hash, created_at)
                        values (?, ?, 'Other', 'none', ?)
                        """,
                        owner,
                        owner + "@example.com",
                        now);
                tx.update(
                        """
                        insert into api_key (id, workspace_id, created_by, name, prefix, hash, created_at)
                        values (?, ?, ?, 'Key', ?, ?, ?)
                        """,
                        UUID.randomUUID(),
                        workspace,
                        owner,
                        key.substring(0, 12),
                        sha256(key),
                        now);
            });
        }
        return new Api(sluice.port(), key);
    }

    private static byte[] sha256(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
