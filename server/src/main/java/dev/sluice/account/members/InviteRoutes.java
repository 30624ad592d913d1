package dev.sluice.account.members;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.Api;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.CurrentRole;
import dev.sluice.account.access.Gate;
import dev.sluice.account.access.Session;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.workspace.Invite;
import dev.sluice.account.workspace.InviteStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
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
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.secret.Sha256;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// The HTTP endpoints for invites: create, list, delete and accept. An invite works once, within
/// seven days, and only for the account with the invited address.
public final class InviteRoutes {

    /// The maximum number of members and open invites of a workspace.
    static final int MAX_PEOPLE = 1_000;

    private static final int TOKEN_LENGTH = 43; // more than 255 random bits
    private static final Map<String, Role> ROLES =
            Map.of("admin", Role.ADMIN, "member", Role.MEMBER);

    private final Db db;
    private final Authenticator authenticator;
    private final WorkspaceAccess access;
    private final IdempotencyKeys idempotency;
    private final InviteMailer mailer;
    private final Uuid7 ids;
    private final SecretGenerator random;
    private final InstantSource clock;

    public InviteRoutes(
            Db db,
            Authenticator authenticator,
            WorkspaceAccess access,
            IdempotencyKeys idempotency,
            InviteMailer mailer,
            Uuid7 ids,
            SecretGenerator random,
            InstantSource clock) {
        this.db = db;
        this.ids = ids;
        this.random = random;
        this.clock = clock;
        this.authenticator = authenticator;
        this.access = access;
        this.idempotency = idempotency;
        this.mailer = mailer;
    }

    public void addTo(Api api) {
        api.get(
                "/api/v1/workspaces/{id}/invites",
                access.adminRead(),
                Set.of(Budget.DATABASE),
                this::list);
        api.post(
                "/api/v1/workspaces/{id}/invites",
                access.atLeast(Role.ADMIN),
                Set.of(Budget.DATABASE),
                this::create);
        api.delete(
                "/api/v1/workspaces/{id}/invites/{invite_id}",
                access.atLeast(Role.ADMIN),
                Set.of(Budget.DATABASE),
                this::delete);
        api.post("/api/v1/invites/accept", Gate.PERSON, Set.of(Budget.DATABASE), this::accept);
    }

    private Reply list(WorkspaceId workspace, Request request) {
        var query = new QueryParameters(request);
        var isWanted = query.searchFilter();
        query.check();
        var invites = db.call(tx -> InviteStore.list(tx, workspace, clock.instant()));
        return Reply.ok(
                JsonObject.items(
                        invites.stream()
                                .filter(invite -> isWanted.test(invite.email()))
                                .map(InviteRoutes::json)
                                .toList()));
    }

    private static JsonObject json(Invite invite) {
        return new JsonObject()
                .put("id", invite.id())
                .put("email", invite.email())
                .put("role", invite.role().text())
                .put("created_at", invite.createdAt())
                .put("expires_at", invite.expiresAt());
    }

    private Reply create(WorkspaceAccess.Access who, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request, who.workspace().value(), keeper -> create(who, input, keeper));
    }

    private Reply create(WorkspaceAccess.Access who, FieldReader input, AnswerKeeper keeper) {
        var email = input.required("email", input.parsed("email", Account::normalizedEmail));
        var role = input.required("role", input.oneOf("role", ROLES));
        input.check();
        var now = clock.instant();
        var invite =
                new Invite(
                        ids.next(),
                        who.workspace(),
                        email.orElse(""),
                        role.orElse(Role.MEMBER),
                        who.account(),
                        now,
                        now.plus(Invite.LIFETIME));
        String token = random.base62(TOKEN_LENGTH);
        String location = "/api/v1/workspaces/" + who.workspace() + "/invites/" + invite.id();
        db.run(tx -> {
            who.lock(tx, Role.ADMIN);
            requireNoMember(tx, invite);
            InviteStore.replace(tx, invite, Sha256.hash(token));
            requireRoom(tx, invite);
            who.record(tx, "invite.created", invite.id(), invite.email(), input.names());
            keeper.keepWithoutSecret(tx, location);
        });
        return Reply.created(
                location,
                json(invite)
                        .put("token", token)
                        .put("accept_url", mailer.link(token))
                        .put("mail_queued", sendMail(invite, who.account(), token)));
    }

    private static void requireRoom(Tx tx, Invite invite) {
        long people = InviteStore.countWithMembers(tx, invite.workspace(), invite.createdAt());
        if (people > MAX_PEOPLE) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "A workspace has at most "
                            + MAX_PEOPLE
                            + " members and open invites together. Delete an invite or remove a"
                            + " member first.");
        }
    }

    private boolean sendMail(Invite invite, UUID inviter, String token) {
        return db.call(tx -> {
            var workspace = WorkspaceStore.find(tx, invite.workspace());
            var account = AccountStore.find(tx, inviter);
            return workspace.isPresent()
                    && account.isPresent()
                    && mailer.offer(invite, workspace.get(), account.get(), token);
        });
    }

    private static void requireNoMember(Tx tx, Invite invite) {
        boolean isMember =
                AccountStore.find(tx, invite.email())
                        .flatMap(account -> MemberStore.role(tx, invite.workspace(), account.id()))
                        .isPresent();
        if (isMember) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT, "This person is already a member of the workspace.");
        }
    }

    private Reply delete(WorkspaceAccess.Access who, Request request) {
        UUID id = inviteId(request);
        db.run(tx -> {
            who.lock(tx, Role.ADMIN);
            String email =
                    InviteStore.delete(tx, who.workspace(), id)
                            .orElseThrow(() -> ApiException.notFound("invite"));
            who.record(tx, "invite.deleted", id, email, Set.of());
        });
        return Reply.noContent();
    }

    private static UUID inviteId(Request request) {
        try {
            return FieldReader.parseUuid(request.pathParameter("invite_id"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound("invite");
        }
    }

    /// Adds the signed-in person to the invite's workspace and switches the session to that
    /// workspace. A person who is already a member keeps their role.
    private Reply accept(Session session, Request request) throws IOException {
        var input = request.jsonBody();
        var token = input.required("token", input.text("token", 1, 200));
        input.check();
        byte[] hash = Sha256.hash(token.orElse(""));
        var joined =
                db.call(tx -> {
                    var invite =
                            InviteStore.take(tx, hash, clock.instant())
                                    .orElseThrow(() -> ApiException.notFound("invite", "token"));
                    requireInvited(tx, invite, session.account());
                    CurrentRole.requireInviter(tx, invite);
                    if (MemberStore.role(tx, invite.workspace(), session.account()).isEmpty()) {
                        MemberStore.insert(
                                tx,
                                invite.workspace(),
                                session.account(),
                                invite.role(),
                                clock.instant());
                    }
                    SessionStore.switchTo(tx, session.id(), invite.workspace());
                    authenticator
                            .trail(request, session)
                            .record(
                                    tx,
                                    invite.workspace(),
                                    "invite.accepted",
                                    invite.id(),
                                    invite.email(),
                                    Set.of());
                    return WorkspaceStore.find(tx, invite.workspace())
                            .orElseThrow(WorkspaceAccess::notFound)
                            .json()
                            .put(
                                    "role",
                                    MemberStore.role(tx, invite.workspace(), session.account())
                                            .orElseThrow()
                                            .text());
                });
        return Reply.ok(joined);
    }

    /// Throws a 403 exception if the invite is for another e-mail address. The exception rolls the
    /// transaction back, so the invite stays open for the right person.
    private static void requireInvited(Tx tx, Invite invite, UUID account) {
        String email = AccountStore.find(tx, account).orElseThrow().email();
        if (!email.equals(invite.email())) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "This invite is for another e-mail address. Sign in with the invited one.");
        }
    }
}
