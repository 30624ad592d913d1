package dev.sluice.testkit;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.contract.ApiOperation;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sha256;
import dev.sluice.testkit.ApiClient.ApiResponse;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// A workspace with callers of each kind, and what they may ask for. It is created without hashing
/// passwords, so that each request of a test can have a team of its own.
public final class Team {

    /// Who sends a request.
    public enum Asker {
        NONE,
        KEY,
        READ_KEY,
        MEMBER,
        ADMIN,
        OWNER,
        /// The owner of another workspace.
        OTHER_WORKSPACE
    }

    private static final UUID NOBODY = new UUID(0, 0);

    private final Db db;
    private final ApiClient api;
    private final UUID workspace = UUID.randomUUID();
    private final Map<Asker, UUID> accounts = new EnumMap<>(Asker.class);
    private final Map<Asker, String> secrets = new EnumMap<>(Asker.class);

    private Team(Db db, ApiClient api) {
        this.db = db;
        this.api = api;
    }

    public static Team create(Db db, ApiClient api) {
        var team = new Team(db, api);
        db.run(tx -> {
            var now = Instant.now();
            Given.insertWorkspace(tx, new WorkspaceId(team.workspace), "Team", "business", now);
            var other = new WorkspaceId(UUID.randomUUID());
            Given.insertWorkspace(tx, other, "Other", "business", now);
            team.insertPerson(tx, Asker.OWNER, "owner", team.workspace);
            team.insertPerson(tx, Asker.ADMIN, "admin", team.workspace);
            team.insertPerson(tx, Asker.MEMBER, "member", team.workspace);
            team.insertPerson(tx, Asker.OTHER_WORKSPACE, "owner", other.value());
            team.insertKey(tx, Asker.KEY, "full");
            team.insertKey(tx, Asker.READ_KEY, "read");
        });
        return team;
    }

    private void insertPerson(Tx tx, Asker asker, String role, UUID in) {
        UUID account = insertMember(tx, role, in);
        accounts.put(asker, account);
        secrets.put(asker, insertSession(tx, account, in).token());
    }

    private static UUID insertMember(Tx tx, String role, UUID in) {
        UUID account = UUID.randomUUID();
        Given.insertAccount(tx, account, Instant.now());
        tx.update(
                """
                insert into member (workspace_id, account_id, role, created_at)
                values (?, ?, ?, ?)
                """,
                in,
                account,
                role,
                Instant.now());
        return account;
    }

    private record OpenSession(UUID id, String token) {}

    private static OpenSession insertSession(Tx tx, UUID account, UUID in) {
        var session = new OpenSession(UUID.randomUUID(), UUID.randomUUID().toString());
        var now = Instant.now();
        tx.update(
                """
                insert into session (id, account_id, token_hash, workspace_id, created_at,
                                     last_seen_at, expires_at, address, user_agent)
                values (?, ?, ?, ?, ?, ?, ?, '127.0.0.1', '')
                """,
                session.id(),
                account,
                Sha256.hash(session.token()),
                in,
                now,
                now,
                now.plus(Duration.ofDays(1)));
        return session;
    }

    private void insertKey(Tx tx, Asker asker, String access) {
        secrets.put(asker, "slk_" + UUID.randomUUID());
        insertKey(tx, secrets.get(asker), access);
    }

    private UUID insertKey(Tx tx, String key, String access) {
        UUID id = UUID.randomUUID();
        tx.update(
                """
                insert into api_key (id, workspace_id, created_by, name, prefix, hash, created_at,
                                     access)
                values (?, ?, ?, 'Key', ?, ?, ?, ?)
                """,
                id,
                workspace,
                accounts.get(Asker.OWNER),
                key.substring(0, 12),
                Sha256.hash(key),
                Instant.now(),
                access);
        return id;
    }

    public HttpRequest.Builder request(Asker asker, String path) {
        var request = api.anonymous(path);
        return switch (asker) {
            case NONE -> request;
            case KEY, READ_KEY -> request.header("Authorization", "Bearer " + secrets.get(asker));
            default -> request.header("Cookie", "sluice_session=" + secrets.get(asker));
        };
    }

    public ApiResponse send(HttpRequest.Builder request) {
        return api.send(request);
    }

    /// Returns the operation's path with something of this team in place of each parameter; see
    /// [#idFor].
    public String path(ApiOperation operation, Asker asker) {
        return Arrays.stream(operation.path().split("/", -1))
                .map(segment ->
                        segment.startsWith("{") ? idFor(operation, segment, asker) : segment)
                .collect(Collectors.joining("/"));
    }

    /// Creates what a parameter of an operation's path names, and returns its id.
    ///
    /// @param parameter with its braces
    public String idFor(ApiOperation operation, String parameter, Asker asker) {
        String kind = operation.path().split("/", -1)[Math.min(3, pathLength(operation) - 2)];
        return switch (parameter + " of " + kind) {
            case "{id} of sources" -> source(operation.id().equals("restoreSource")).text("id");
            case "{token} of in" -> tokenOf(source(false));
            case "{id} of destinations" -> destination().text("id");
            case "{id} of connections" -> connection().text("id");
            case "{id} of events" ->
                    api.ingest(source(false).text("ingest_path"), "{}").text("request_id");
            case "{id} of alert-configs" ->
                    create(
                                    "/api/v1/alert-configs",
                                    "{'channel':'email','config':{'to':'oncall@example.com'}}")
                            .text("id");
            case "{id} of deliveries" ->
                    delivery(operation.id().equals("getSentRequest")).toString();
            case "{number} of deliveries" -> "3"; // the last attempt of delivery()
            case "{id} of replays" -> replay().toString();
            case "{id} of api-keys" ->
                    db.call(tx -> insertKey(tx, "slk_" + UUID.randomUUID(), "full")).toString();
            case "{id} of auth" -> session(asker).toString();
            case "{id} of workspaces" -> workspace.toString();
            case "{user_id} of workspaces" ->
                    db.call(tx -> insertMember(tx, "member", workspace)).toString();
            case "{invite_id} of workspaces" ->
                    create(
                                    "/api/v1/workspaces/" + workspace + "/invites",
                                    "{'email':'guest@example.com','role':'member'}")
                            .text("id");
            default ->
                    throw new AssertionError(
                            "Team does not know how to create " + parameter + " of " + kind);
        };
    }

    /// Creates what a field of a body or a query parameter names, and returns its id.
    ///
    /// @param field such as `source_id` or `connection_ids`
    public String idForField(String field) {
        return switch (field.replaceFirst("s$", "")) {
            case "source_id" -> sourceWithEvent().text("id");
            case "destination_id" -> destination().text("id");
            case "connection_id" -> connection().text("id");
            case "event_id" ->
                    api.ingest(source(false).text("ingest_path"), "{}").text("request_id");
            case "actor_id" -> accounts.getOrDefault(Asker.OWNER, NOBODY).toString();
            case "user_id" -> db.call(tx -> insertMember(tx, "member", workspace)).toString();
            case "workspace", "X-Sluice-Workspace" -> workspace.toString();
            default ->
                    throw new AssertionError(
                            "Team does not know what the field "
                                    + field
                                    + " names. Add it to Team.idForField, with something that"
                                    + " another workspace could see or change.");
        };
    }

    private ApiResponse sourceWithEvent() {
        var source = source(false);
        api.ingest(source.text("ingest_path"), "{}");
        return source;
    }

    public UUID workspace() {
        return workspace;
    }

    private static int pathLength(ApiOperation operation) {
        return operation.path().split("/", -1).length;
    }

    private ApiResponse create(String path, String json) {
        var created = api.send(Person.withBody(request(Asker.OWNER, path), json));
        if (created.status() != 201) {
            throw new AssertionError("not created: " + created);
        }
        return created;
    }

    private ApiResponse source(boolean isInTrash) {
        var source = create("/api/v1/sources", "{'name':'Source'}");
        if (isInTrash) {
            api.send(request(Asker.OWNER, "/api/v1/sources/" + source.text("id")).DELETE());
        }
        return source;
    }

    private static String tokenOf(ApiResponse source) {
        return source.text("ingest_path").substring("/in/".length());
    }

    private ApiResponse destination() {
        return create(
                "/api/v1/destinations", "{'name':'Destination','url':'https://example.com/hook'}");
    }

    private ApiResponse connection() {
        return create(
                "/api/v1/connections",
                "{'source_id':'%s','destination_id':'%s'}"
                        .formatted(source(false).text("id"), destination().text("id")));
    }

    /// A delivery that ended without an attempt.
    ///
    /// @param isAttempted whether it ended with its third attempt
    private DeliveryId delivery(boolean isAttempted) {
        var source = source(false);
        var event =
                new EventId(
                        UUID.fromString(
                                api.ingest(source.text("ingest_path"), "{}").text("request_id")));
        var connection =
                create(
                        "/api/v1/connections",
                        "{'source_id':'%s','destination_id':'%s'}"
                                .formatted(source.text("id"), destination().text("id")));
        var id = DeliveryId.of(event, DeliveryId.MIN_RESEND_ORDINAL);
        new FinishedDeliveries(db)
                .add(
                        List.of(
                                new FinishedDeliveries.FinishedDelivery(
                                        id,
                                        new SourceId(UUID.fromString(source.text("id"))),
                                        new ConnectionId(UUID.fromString(connection.text("id"))),
                                        DeliveryStatus.FAILED,
                                        Optional.of(
                                                isAttempted
                                                        ? ErrorCode.HTTP_STATUS
                                                        : ErrorCode.CONNECTION_DELETED),
                                        isAttempted ? Optional.of(410) : Optional.empty())));
        return id;
    }

    /// A finished job, which changes nothing any more.
    private UUID replay() {
        var connection = connection();
        UUID id = UUID.randomUUID();
        var now = Instant.now();
        db.run(tx ->
                tx.update(
                        """
                        insert into replay_job (id, workspace_id, source_id, connection_id,
                                                connections, statuses, status, planned, created_at, updated_at,
                                                finished_at, after_id, to_id)
                        values (?, ?, ?, ?, array[?::uuid], '{5}', 'completed', 0, ?, ?, ?, ?, ?)
                        """,
                        id,
                        workspace,
                        UUID.fromString(connection.text("source_id")),
                        UUID.fromString(connection.text("id")),
                        UUID.fromString(connection.text("id")),
                        now,
                        now,
                        now,
                        NOBODY,
                        NOBODY));
        return id;
    }

    /// Another session of the one who asks; for others, a session of the workspace's owner.
    private UUID session(Asker asker) {
        var person =
                switch (asker) {
                    case MEMBER, ADMIN, OWNER -> asker;
                    default -> Asker.OWNER;
                };
        UUID account = Optional.ofNullable(accounts.get(person)).orElseThrow();
        return db.call(tx -> insertSession(tx, account, workspace)).id();
    }
}
