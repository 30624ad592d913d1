package dev.sluice.account.access;

import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// Creates an API key for the server's operator, who need not be signed in.
public final class KeyRecovery {

    private static final String KEY_NAME = "sluice reset-key";

    private KeyRecovery() {}

    /// Creates and returns a key with full access. It has no creator and does not expire.
    public static Secret create(
            Tx tx, WorkspaceId workspace, Uuid7 ids, SecretGenerator random, Instant now) {
        var key = ApiKey.generate(random);
        var id = ids.next();
        ApiKeyStore.insert(
                tx,
                new ApiKeyStore.NewKey(
                        id,
                        workspace,
                        Optional.empty(),
                        KEY_NAME,
                        KeyAccess.FULL,
                        Optional.empty(),
                        key),
                now);
        new AuditTrail(AuditActor.operator(), "", ids)
                .record(tx, workspace, "api_key.created", id, KEY_NAME, Set.of());
        return key;
    }
}
