package dev.sluice.account.access;

import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/// Creates the first workspace with its owner and an API key, if the database has no workspace yet.
public final class InitialSetup {

    /// The settings for the first workspace.
    ///
    /// @param password empty to generate one
    /// @param apiKey empty to generate one
    /// @param plan the name of the workspace's plan
    public record InitialSetupSettings(
            String email, Optional<Secret> password, Optional<Secret> apiKey, String plan) {}

    /// The owner's e-mail address and password and the first API key, in clear text, as configured
    /// or generated. The database stores only hashes of the password and the key.
    public record InitialCredentials(String email, Secret password, Secret apiKey) {}

    private static final int GENERATED_PASSWORD_LENGTH = 24;

    private InitialSetup() {}

    /// Creates the workspace and returns its credentials. Returns empty if the database already has
    /// a workspace, even a deleted one.
    ///
    /// @param saveCredentials called before the commit; if it throws an exception, nothing is
    ///   created
    public static Optional<InitialCredentials> run(
            Db db,
            InitialSetupSettings settings,
            Uuid7 ids,
            SecretGenerator random,
            Instant now,
            Consumer<InitialCredentials> saveCredentials) {
        return db.call(tx -> {
            // Locks the version row, so that processes that start at the same time run this
            // transaction one after another.
            WorkspaceStore.nextConfigVersion(tx);
            if (!WorkspaceStore.hasNoWorkspace(tx)) {
                return Optional.empty();
            }
            var credentials = create(tx, settings, ids, random, now);
            saveCredentials.accept(credentials);
            return Optional.of(credentials);
        });
    }

    /// Returns whether the configured API key is valid: it belongs to some workspace and has not
    /// expired. Returns true if no key is configured.
    public static boolean isKeyValid(Db db, InitialSetupSettings settings, Instant now) {
        return settings.apiKey().isEmpty()
                || db.call(tx ->
                        ApiKeyStore.isValid(
                                tx, ApiKey.hash(settings.apiKey().get().reveal()), now));
    }

    private static InitialCredentials create(
            Tx tx, InitialSetupSettings settings, Uuid7 ids, SecretGenerator random, Instant now) {
        var credentials =
                new InitialCredentials(
                        settings.email(),
                        settings.password()
                                .orElseGet(
                                        () -> new Secret(random.base62(GENERATED_PASSWORD_LENGTH))),
                        settings.apiKey().orElseGet(() -> ApiKey.generate(random)));
        var workspace = new WorkspaceId(ids.next());
        UUID owner = ids.next();
        WorkspaceStore.create(tx, new Workspace(workspace, "Default", settings.plan()), now);
        AccountStore.insert(
                tx,
                new Account(
                        owner,
                        Account.normalizedEmail(credentials.email()),
                        "Owner",
                        PasswordHasher.hash(credentials.password(), random.bytes(16))),
                now);
        MemberStore.insert(tx, workspace, owner, Role.OWNER, now);
        ApiKeyStore.insert(
                tx,
                new ApiKeyStore.NewKey(
                        ids.next(),
                        workspace,
                        Optional.of(owner),
                        "First key",
                        KeyAccess.FULL,
                        Optional.empty(),
                        credentials.apiKey()),
                now);
        return credentials;
    }
}
