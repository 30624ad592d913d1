package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.CurrentRole;
import dev.sluice.account.access.NetworkCounter;
import dev.sluice.account.access.SessionOpener;
import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.Invite;
import dev.sluice.account.workspace.InviteStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.MemberStore.Membership;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.Sha256;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The route `POST /api/v1/auth/register`: creates an account. The account gets its own workspace,
/// joins one through an invite, or both. An invite works even if registration is closed. At most 30
/// registrations a minute are accepted from one network.
public final class RegistrationRoutes {

    private static final int MAX_REGISTRATIONS_PER_MINUTE = 30;

    private final Db db;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final PasswordCheck passwords;
    private final SessionOpener sessionOpener;
    private final ClientAddress clientAddress;
    private final String firstPlan;
    private final boolean isOpen;
    private final NetworkCounter registrations = new NetworkCounter();

    public RegistrationRoutes(
            Db db,
            PasswordCheck passwords,
            SessionOpener sessionOpener,
            ClientAddress clientAddress,
            String firstPlan,
            boolean isOpen,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.ids = ids;
        this.clock = clock;
        this.passwords = passwords;
        this.sessionOpener = sessionOpener;
        this.clientAddress = clientAddress;
        this.firstPlan = firstPlan;
        this.isOpen = isOpen;
    }

    public void addTo(Api api) {
        api.openPost("/api/v1/auth/register", Set.of(Budget.DATABASE), this::register);
    }

    private Reply register(Request request) throws IOException {
        var input = request.jsonBody();
        boolean isInvited = input.hasValue("invite_token");
        if (!isOpen && !isInvited) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "Registration is closed on this server. Ask a member for an invite, and send"
                            + " its token as invite_token.");
        }
        var email = input.required("email", input.parsed("email", Account::normalizedEmail));
        var password = PasswordFields.newPassword(input, "password");
        var name = input.required("name", input.name("name", 1, 100));
        var inviteToken = input.text("invite_token", 1, 200).toOptional();
        var workspaceName = input.name("workspace_name", 1, 100);
        if (!isInvited) {
            input.required("workspace_name", workspaceName);
        }
        input.check();
        var invite = inviteToken.map(Sha256::hash);
        var client = clientAddress.of(request);
        // The invite is checked before the password is hashed, so that a wrong token costs no
        // hashing. The check is repeated when the invite is accepted. Wrong tokens do not count
        // towards the rate limit, because somebody could otherwise use them to lock out invited
        // people on the same network.
        invite.ifPresent(token ->
                db.run(tx ->
                        requireInvited(
                                tx,
                                InviteStore.find(tx, token, clock.instant()),
                                email.orElse(""))));
        limitRate(client);
        String hash = passwords.hash(password.orElse(new Secret("")), client);
        var account = new Account(ids.next(), email.orElse(""), name.orElse(""), hash);
        return db.call(tx -> create(tx, request, account, workspaceName.toOptional(), invite));
    }

    /// Limits the registrations from one network. Each registration costs a hash, may create a
    /// workspace, and reveals whether an address has an account.
    private void limitRate(InetAddress client) {
        var now = clock.instant();
        String network = ClientAddress.network(client);
        if (registrations.add(network, now) >= MAX_REGISTRATIONS_PER_MINUTE) {
            throw ApiException.tooMany(
                    "Too many registrations came from your network.",
                    registrations.delay(network, MAX_REGISTRATIONS_PER_MINUTE, now));
        }
    }

    private static Invite requireInvited(Tx tx, Optional<Invite> found, String email) {
        var invite = found.orElseThrow(() -> ApiException.notFound("invite", "invite_token"));
        if (!invite.email().equals(email)) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "This invite is for another e-mail address. Register with the invited one.");
        }
        CurrentRole.requireInviter(tx, invite);
        return invite;
    }

    private Reply create(
            Tx tx,
            Request request,
            Account account,
            Optional<String> workspaceName,
            Optional<byte[]> inviteToken) {
        var now = clock.instant();
        if (!AccountStore.insert(tx, account, now)) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "An account with this e-mail address exists. Sign in, or reset its password.");
        }
        // The configuration's version is locked before any workspace, here as everywhere.
        var created = workspaceName.map(name -> createWorkspace(tx, request, account, name, now));
        var joined = inviteToken.map(token -> join(tx, request, account, token, now));
        var membership = joined.or(() -> created).orElseThrow();
        var cookie =
                sessionOpener.open(
                        tx, request, account.id(), Optional.of(membership.workspace().id()), now);
        return Reply.created("/api/v1/me", PersonJson.of(account, Optional.of(membership)))
                .with(List.of(cookie))
                .with("Cache-Control", "no-store");
    }

    /// Accepts the invite for the new account.
    private Membership join(Tx tx, Request request, Account account, byte[] token, Instant now) {
        var invite = requireInvited(tx, InviteStore.take(tx, token, now), account.email());
        MemberStore.insert(tx, invite.workspace(), account.id(), invite.role(), now);
        trail(request, account)
                .record(
                        tx,
                        invite.workspace(),
                        "invite.accepted",
                        invite.id(),
                        invite.email(),
                        Set.of());
        return new Membership(
                WorkspaceStore.find(tx, invite.workspace()).orElseThrow(), invite.role());
    }

    private AuditTrail trail(Request request, Account account) {
        return new AuditTrail(
                AuditActor.user(account.id()), clientAddress.of(request).getHostAddress(), ids);
    }

    private Membership createWorkspace(
            Tx tx, Request request, Account account, String name, Instant now) {
        var workspace = new Workspace(new WorkspaceId(ids.next()), name, firstPlan);
        WorkspaceStore.create(tx, workspace, now);
        MemberStore.insert(tx, workspace.id(), account.id(), Role.OWNER, now);
        trail(request, account)
                .record(
                        tx,
                        workspace.id(),
                        "workspace.created",
                        workspace.id().value(),
                        name,
                        Set.of("name"));
        return new Membership(workspace, Role.OWNER);
    }
}
