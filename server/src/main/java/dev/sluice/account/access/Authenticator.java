package dev.sluice.account.access;

import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.Suspension;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.secret.Sha256;
import dev.sluice.platform.share.ComputePool;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Identifies the caller of an API request by the request's API key or session.
///
/// For every request, the key or session and the signed-in person's role are looked up in the
/// database. Deleting a key, ending a session or changing a role therefore takes effect
/// immediately. Requests with a valid key count towards the workspace's rate limit, if its plan has
/// one; requests with a session have limits of their own. A request with both a key and a session
/// is treated as a request with a key. Thread-safe.
public final class Authenticator {

    private static final String WORKSPACE_HEADER = "X-Sluice-Workspace";
    private static final String BEARER_PREFIX = "Bearer ";
    private static final int MAX_WRONG_KEYS_PER_MINUTE = 30;

    /// Tells caches not to store responses, so that no caller receives another caller's response.
    private static final List<Header> NO_STORE = List.of(new Header("Cache-Control", "no-store"));

    /// A request whose API key was found in the database.
    ///
    /// @param rateLimit empty if the plan has no limit or the key has expired
    private record RequestWithKey(
            ApiKeyStore.ApiKeyRecord key,
            boolean isExpired,
            Optional<ApiRateLimiter.ApiRateLimitStatus> rateLimit) {

        Caller caller(AuditTrail trail) {
            return new Caller(
                    key.workspace(),
                    new Caller.Identity.KeyIdentity(key.id(), key.createdBy()),
                    trail);
        }
    }

    /// A session that was found in the database, after this request was counted.
    private record RequestWithSession(
            Session session, ApiRateLimiter.ApiRateLimitStatus rateLimit) {

        /// Returns the workspace that the request is for, or else the account.
        Object owner() {
            return session.membership()
                    .<Object>map(Session.SessionMembership::workspace)
                    .orElseGet(session::account);
        }
    }

    private final Db db;
    private final CredentialOwners owners = new CredentialOwners();
    private final ApiRateLimiter rateLimiter;
    private final OriginCheck originCheck;
    private final ClientAddress clientAddress;
    private final Uuid7 ids;
    private final Activity activity;
    private final InstantSource clock;
    private final NetworkCounter wrongKeys = new NetworkCounter();

    /// @param db the pool for identifying callers. Other work must not use it
    /// @param baseUrl the server's public address, from which the dashboard's pages are served
    /// @param activity is marked on each request, so that the server is not considered idle
    public Authenticator(
            Db db,
            PlanCatalog plans,
            String baseUrl,
            ClientAddress clientAddress,
            Uuid7 ids,
            Activity activity,
            InstantSource clock) {
        this.db = db;
        this.activity = activity;
        this.ids = ids;
        this.clientAddress = clientAddress;
        this.rateLimiter = new ApiRateLimiter(plans);
        this.originCheck = new OriginCheck(baseUrl);
        this.clock = clock;
    }

    /// Identifies the caller. Call this once per request, before doing anything else.
    ///
    /// A request may name its workspace in the header `X-Sluice-Workspace`, so that two tabs of one
    /// session can show two workspaces. Otherwise, it is for the session's current workspace.
    ///
    /// @throws ApiException 401 if the request has no valid key or session
    /// @throws ApiException 403 if the request names no workspace and the session has no current
    ///   one or the person is no longer a member of it, if a request that changes something comes
    ///   from another site, if the key is read-only and the method is neither `GET` nor `HEAD`, or
    ///   if the workspace is suspended
    /// @throws ApiException 404 if the request names a workspace of which the person is not a
    ///   member, or that is not the key's
    /// @throws ApiException 400 if the named workspace is not a UUID
    /// @throws ApiException 429 if the request exceeds a rate limit, or if the key is unknown or
    ///   expired and too many such keys came from the client's network
    Caller authenticate(Request request) {
        return authenticate(request, namedWorkspace(request)).requireActive();
    }

    /// Identifies the caller, as `authenticate` does, for a route that a suspended workspace's
    /// members may call, too.
    Caller authenticateEvenIfSuspended(Request request) {
        return authenticate(request, namedWorkspace(request)).caller();
    }

    /// Identifies the caller, as `authenticate` does, of a request that may also name its workspace
    /// in the query parameter `workspace`: an `EventSource` of a browser cannot send headers.
    Caller authenticateStream(Request request) {
        var header = namedWorkspace(request);
        var parameters = new QueryParameters(request);
        var parameter = parameters.uuid("workspace").map(WorkspaceId::new);
        parameters.check();
        if (header.isPresent() && parameter.isPresent() && !header.equals(parameter)) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST,
                    WORKSPACE_HEADER + " and workspace name different workspaces. Send one.");
        }
        return authenticate(request, header.or(() -> parameter)).requireActive();
    }

    /// A caller, and the suspension of the caller's workspace.
    private record FoundCaller(Caller caller, Optional<Suspension> suspension) {

        Caller requireActive() {
            Authenticator.requireActive(suspension);
            return caller;
        }
    }

    /// @throws ApiException 403 if the workspace is suspended
    public static void requireActive(Optional<Suspension> suspension) {
        suspension.ifPresent(present -> {
            throw new ApiException(ApiErrorCode.WORKSPACE_SUSPENDED, present.message());
        });
    }

    private FoundCaller authenticate(Request request, Optional<WorkspaceId> named) {
        activity.mark();
        if (!sendsKey(request) && hasSession(request)) {
            var session = session(request, named);
            var membership =
                    session.membership()
                            .orElseThrow(() ->
                                    named.isPresent()
                                            ? ApiException.notFound("workspace")
                                            : notMember());
            return new FoundCaller(
                    new Caller(
                            membership.workspace(),
                            new Caller.Identity.SessionIdentity(
                                    session.account(), session.id(), membership.role()),
                            trail(request, session)),
                    membership.suspension());
        }
        var found = authenticateKey(request);
        if (named.isPresent() && !named.get().equals(found.caller().workspace())) {
            throw ApiException.notFound("workspace");
        }
        return found;
    }

    private static Optional<WorkspaceId> namedWorkspace(Request request) {
        try {
            return request.header(WORKSPACE_HEADER)
                    .map(id -> new WorkspaceId(FieldReader.parseUuid(id)));
        } catch (IllegalArgumentException e) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST,
                    WORKSPACE_HEADER + " must be the id of a workspace, which is a UUID.");
        }
    }

    /// Returns the network from which the client sent the request.
    String network(Request request) {
        return ClientAddress.network(clientAddress.of(request));
    }

    /// Returns an audit trail for the changes that the signed-in person makes.
    public AuditTrail trail(Request request, Session session) {
        return trail(request, AuditActor.user(session.account()));
    }

    private AuditTrail trail(Request request, AuditActor actor) {
        return new AuditTrail(actor, clientAddress.of(request).getHostAddress(), ids);
    }

    /// Whether the request has an `Authorization` header, which should then contain an API key.
    /// Basic credentials do not count: a browser that uses them to sign in to a proxy in front of
    /// the server also sends them here, in addition to its session cookie.
    public static boolean sendsKey(Request request) {
        return request.header("Authorization")
                .filter(value -> !value.regionMatches(true, 0, "Basic ", 0, "Basic ".length()))
                .isPresent();
    }

    private static boolean hasSession(Request request) {
        return SessionCookie.token(request).isPresent();
    }

    /// Identifies the person who is signed in with the request's session. The person need not be a
    /// member of any workspace. Use this for requests that concern the person and not a workspace.
    ///
    /// @throws ApiException 401 if the request has no valid session
    /// @throws ApiException 403 if the request has a valid API key, or if it changes something and
    ///   comes from another site. For an invalid API key, the errors are those of [#authenticate]
    Session session(Request request) {
        return session(request, Optional.empty());
    }

    private Session session(Request request, Optional<WorkspaceId> named) {
        request.addExtraHeaders(NO_STORE);
        if (sendsKey(request)) {
            var _ =
                    authenticateKey(request)
                            .caller()
                            .requireSession(); // always throws: the caller is a key
        }
        byte[] hash =
                Sha256.hash(
                        SessionCookie.token(request)
                                .orElseThrow(() -> unauthorized("Sign in first.")));
        originCheck.check(request);
        var found =
                owners.identify(
                                hash,
                                named,
                                () -> db.call(tx -> findSession(tx, hash, named)),
                                RequestWithSession::owner)
                        .orElseThrow(Authenticator::sessionEnded);
        rateLimiter.apply(found.rateLimit(), request);
        request.setOwner(
                found.session()
                        .membership()
                        .map(membership -> membership.workspace().value())
                        .orElseGet(found.session()::account));
        return found.session();
    }

    private Optional<RequestWithSession> findSession(
            Tx tx, byte[] hash, Optional<WorkspaceId> named) {
        var now = clock.instant();
        return SessionStore.findAndExtend(tx, hash, named, now)
                .map(session ->
                        new RequestWithSession(
                                session,
                                rateLimiter.countSessionRequest(
                                        tx,
                                        session.account(),
                                        session.membership()
                                                .map(Session.SessionMembership::workspace),
                                        now)));
    }

    private FoundCaller authenticateKey(Request request) {
        request.addExtraHeaders(NO_STORE);
        String header = request.header("Authorization").orElse("");
        if (!header.regionMatches(true, 0, BEARER_PREFIX, 0, BEARER_PREFIX.length())) {
            throw unauthorized("Send an API key as Authorization: Bearer <key>.");
        }
        byte[] hash = ApiKey.hash(header.substring(BEARER_PREFIX.length()).strip());
        var found =
                owners.identify(
                                hash,
                                Optional.empty(),
                                () -> db.call(tx -> find(tx, hash)),
                                key -> key.key().workspace())
                        .orElseThrow(() -> wrongKey(request, "The API key is unknown."));
        if (found.isExpired()) {
            throw wrongKey(request, "The API key has expired. Create a new one.");
        }
        found.rateLimit().ifPresent(rateLimit -> rateLimiter.apply(rateLimit, request));
        if (!found.key().access().allows(request.method())) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "This API key may only read, with GET and HEAD. Use a key with full access.");
        }
        request.setOwner(found.key().workspace().value());
        return new FoundCaller(
                found.caller(trail(request, AuditActor.key(found.key().id()))),
                found.key().suspension());
    }

    /// Returns the error for an unknown or expired key: 401, or 429 if too many such keys came from
    /// the client's network. A valid key from the same network still works, because keys are looked
    /// up before this limit applies.
    private ApiException wrongKey(Request request, String message) {
        var now = clock.instant();
        String network = network(request);
        var delay = wrongKeys.delay(network, MAX_WRONG_KEYS_PER_MINUTE, now);
        if (!delay.isZero()) {
            return ApiException.tooMany(
                    "Too many unknown or expired API keys came from your network.", delay);
        }
        wrongKeys.add(network, now);
        return unauthorized(message);
    }

    /// Finds the key. Unless it has expired, also records its use and counts the request towards
    /// the rate limit.
    private Optional<RequestWithKey> find(Tx tx, byte[] hash) {
        var now = clock.instant();
        return ApiKeyStore.find(tx, hash, now)
                .map(key -> {
                    if (key.isExpired(now)) {
                        return new RequestWithKey(key, true, Optional.empty());
                    }
                    ApiKeyStore.recordUse(tx, key, now);
                    return new RequestWithKey(
                            key,
                            false,
                            rateLimiter.countRequest(tx, key.workspace(), key.plan(), now));
                });
    }

    /// Returns the budgets that requests spend.
    ///
    /// @param shared the pool that requests use once the caller is identified
    /// @param compute the threads for requests that take much CPU time
    public Budgets budgets(Db shared, ComputePool compute) {
        return new Budgets(shared, rateLimiter, compute);
    }

    /// Returns the 403 error for a person who is not a member of the session's workspace.
    static ApiException notMember() {
        return new ApiException(
                ApiErrorCode.FORBIDDEN,
                "You are not a member of this workspace. Choose another with POST"
                        + " /api/v1/workspaces/{id}/switch.");
    }

    /// Returns the 401 error for a session that has ended.
    public static ApiException sessionEnded() {
        return unauthorized("Your session has ended. Sign in again.");
    }

    /// Returns a 401 error, with the header that RFC 9110, section 15.5.2, requires.
    public static ApiException unauthorized(String message) {
        return new ApiException(ApiErrorCode.UNAUTHORIZED, message)
                .withHeader(new Header("WWW-Authenticate", "Bearer"));
    }
}
