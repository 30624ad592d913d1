package dev.sluice.account.access;

import dev.sluice.account.access.ApiKeyStore.ListedKey;
import dev.sluice.account.access.ApiKeyStore.NewKey;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The routes under `/api/v1/api-keys`, which list, create and delete a workspace's API keys.
///
/// A key belongs to the workspace and stays valid when the person who created it leaves. Only
/// signed-in admins and owners can create or delete keys; an API key cannot. Thread-safe.
public final class ApiKeyRoutes {

    /// The maximum number of keys per workspace, which keeps the list short enough for one page. It
    /// is enforced when a key is created here, but not by `sluice reset-key`.
    private static final int MAX_KEYS = 100;

    private final Db db;
    private final IdempotencyKeys idempotency;
    private final Uuid7 ids;
    private final SecretGenerator random;
    private final InstantSource clock;

    public ApiKeyRoutes(
            Db db,
            IdempotencyKeys idempotency,
            Uuid7 ids,
            SecretGenerator random,
            InstantSource clock) {
        this.db = db;
        this.idempotency = idempotency;
        this.ids = ids;
        this.random = random;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get("/api/v1/api-keys", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.post("/api/v1/api-keys", Gate.MEMBER, Set.of(Budget.DATABASE), this::create);
        api.delete("/api/v1/api-keys/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::delete);
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var isWanted = query.searchFilter();
        query.check();
        var keys = db.call(tx -> ApiKeyStore.list(tx, caller.workspace()));
        return Reply.ok(
                JsonObject.items(
                        keys.stream()
                                .filter(key -> isWanted.test(key.name()))
                                .map(ApiKeyRoutes::json)
                                .toList()));
    }

    private static JsonObject json(ListedKey key) {
        return new JsonObject()
                .put("id", key.id())
                .put("name", key.name())
                .put("prefix", key.prefix())
                .put("access", key.access().text())
                .put(
                        "created_by",
                        key.creator()
                                .map(creator ->
                                        new JsonObject()
                                                .put("id", creator.id())
                                                .put("name", creator.name())))
                .put("created_at", key.createdAt())
                .put("last_used_at", key.lastUsedAt())
                .put("expires_at", key.expiresAt());
    }

    private Reply create(Caller caller, Request request) throws IOException {
        UUID creator = caller.requireRole(Role.ADMIN).account();
        var input = request.jsonBody();
        return idempotency.answer(
                request,
                caller.workspace().value(),
                keeper -> create(caller, creator, input, keeper));
    }

    private Reply create(Caller caller, UUID creator, FieldReader input, AnswerKeeper keeper) {
        var now = clock.instant();
        var name = input.required("name", input.name("name", 1, 100));
        var access = input.oneOf("access", KeyAccess.BY_TEXT).orElse(KeyAccess.FULL);
        var expiresAt = input.parsed("expires_at", text -> expiry(text, now)).toOptional();
        input.check();
        Secret secret = ApiKey.generate(random);
        var key =
                new NewKey(
                        ids.next(),
                        caller.workspace(),
                        Optional.of(creator),
                        name.orElse(""),
                        access,
                        expiresAt,
                        secret);
        String location = "/api/v1/api-keys/" + key.id();
        var listed =
                db.call(tx -> {
                    caller.lockRole(tx, Role.ADMIN);
                    var inserted = insert(tx, key, now);
                    caller.record(tx, "api_key.created", key.id(), key.name(), input.names());
                    keeper.keepWithoutSecret(tx, location);
                    return inserted;
                });
        return Reply.created(location, json(listed).put("key", secret.reveal()));
    }

    /// Parses the expiry time and truncates it to milliseconds, the precision that responses show.
    private static Instant expiry(String text, Instant now) {
        var time = FieldReader.parseTime(text).truncatedTo(ChronoUnit.MILLIS);
        if (!time.isAfter(now)) {
            throw new IllegalArgumentException("must be in the future.");
        }
        return time;
    }

    /// Inserts the key. The caller must have locked the workspace, so that simultaneous requests
    /// cannot exceed the maximum.
    private static ListedKey insert(Tx tx, NewKey key, Instant now) {
        if (ApiKeyStore.count(tx, key.workspace()) >= MAX_KEYS) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "A workspace has at most " + MAX_KEYS + " API keys. Delete one first.");
        }
        ApiKeyStore.insert(tx, key, now);
        return ApiKeyStore.find(tx, key.workspace(), key.id()).orElseThrow();
    }

    private Reply delete(Caller caller, Request request) {
        caller.requireRole(Role.ADMIN);
        WorkspaceId workspace = caller.workspace();
        var id = request.id("API key");
        db.run(tx -> {
            caller.lockRole(tx, Role.ADMIN);
            var key =
                    ApiKeyStore.find(tx, workspace, id)
                            .orElseThrow(() -> ApiException.notFound("API key"));
            if (!ApiKeyStore.delete(tx, workspace, id)) {
                throw ApiException.notFound("API key");
            }
            caller.record(tx, "api_key.deleted", id, key.name(), Set.of());
        });
        return Reply.noContent();
    }
}
