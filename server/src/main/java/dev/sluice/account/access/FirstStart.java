package dev.sluice.account.access;

import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.RandomText;
import dev.sluice.platform.secret.Secret;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/// Makes the first workspace with its owner and an API key, once in a database's life.
public final class FirstStart {

    /// @param password generated when empty
    /// @param apiKey generated when empty
    public record Settings(
            String email, Optional<Secret> password, Optional<Secret> apiKey, String plan) {}

    /// What was made. The only time password and key are known in clear.
    public record Made(String email, Secret password, Secret apiKey) {}

    private static final int PASSWORD_LENGTH = 24;
    private static final int KEY_LENGTH = 30;

    private FirstStart() {}

    /// Empty when there is a workspace already.
    ///
    /// @param note keeps what was made, before it counts: if that fails, nothing was made
    public static Optional<Made> run(
            Db db,
            Settings settings,
            Uuid7 ids,
            RandomText random,
            Instant now,
            Consumer<Made> note) {
        return db.call(tx -> {
            WorkspaceStore.nextVersion(
                    tx); // two processes that start together come one after the other
            if (!WorkspaceStore.isEmpty(tx)) {
                return Optional.empty();
            }
            var made = make(tx, settings, ids, random, now);
            note.accept(made);
            return Optional.of(made);
        });
    }

    private static Made make(Tx tx, Settings settings, Uuid7 ids, RandomText random, Instant now) {
        var made =
                new Made(
                        settings.email(),
                        settings.password()
                                .orElseGet(() -> new Secret(random.base62(PASSWORD_LENGTH))),
                        settings.apiKey().orElseGet(() -> ApiKey.of(random.base62(KEY_LENGTH))));
        var workspace = new WorkspaceId(ids.next());
        UUID owner = ids.next();
        WorkspaceStore.create(tx, new Workspace(workspace, "Default", settings.plan()), now);
        tx.update(
                """
                insert into account (id, email, name, password_hash, created_at)
                values (?, ?, ?, ?, ?)
                """,
                owner,
                made.email(),
                "Owner",
                Password.hash(made.password(), random.bytes(16)),
                now);
        WorkspaceStore.addOwner(tx, workspace, owner, now);
        tx.update(
                """
                insert into api_key (id, workspace_id, created_by, name, prefix, hash, created_at)
                values (?, ?, ?, 'First key', ?, ?, ?)
                """,
                ids.next(),
                workspace.value(),
                owner,
                ApiKey.prefix(made.apiKey()),
                ApiKey.hash(made.apiKey().reveal()),
                now);
        return made;
    }
}
