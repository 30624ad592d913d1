package dev.sluice.journey;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Given;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.UUID;

/// Creates another workspace directly in the database, because the API cannot create one yet.
final class WorkspaceFixture {

    private WorkspaceFixture() {}

    /// @return a client with the workspace's API key
    static ApiClient create(RunningSluice sluice, String plan) {
        String key = "slk_other_" + UUID.randomUUID();
        UUID workspace = UUID.randomUUID();
        UUID owner = UUID.randomUUID();
        var now = Instant.now();
        try (var db = sluice.db()) {
            db.run(tx -> {
                Given.insertWorkspace(tx, new WorkspaceId(workspace), "Other", plan, now);
                Given.insertAccount(tx, owner, now);
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
        return new ApiClient(sluice.port(), key);
    }

    private static byte[] sha256(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
