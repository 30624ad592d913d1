package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.Api;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.Gate;
import dev.sluice.account.access.Session;
import dev.sluice.account.access.SessionCookie;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.InviteStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.MemberStore.Membership;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/// The route `DELETE /api/v1/auth/account`, with which a person deletes their own account.
///
/// Deleting an account ends the person's sessions and memberships, and deletes the invites that the
/// person created. API keys that the person created stay valid, because a key belongs to a
/// workspace. A person who is the last owner of a workspace gets a 409 response instead.
public final class AccountRoutes {

    private static final int MAX_NAMED_WORKSPACES = 10;

    private final Db db;
    private final Authenticator authenticator;
    private final PasswordCheck passwords;
    private final SessionCookie cookie;
    private final ClientAddress clientAddress;

    public AccountRoutes(
            Db db,
            Authenticator authenticator,
            PasswordCheck passwords,
            SessionCookie cookie,
            ClientAddress clientAddress) {
        this.db = db;
        this.authenticator = authenticator;
        this.passwords = passwords;
        this.cookie = cookie;
        this.clientAddress = clientAddress;
    }

    public void addTo(Api api) {
        api.delete("/api/v1/auth/account", Gate.PERSON, Set.of(Budget.DATABASE), this::delete);
    }

    private Reply delete(Session session, Request request) throws IOException {
        var input = request.jsonBody();
        var password = PasswordFields.given(input, "password");
        input.check();
        var client = clientAddress.of(request);
        var account =
                db.call(tx -> AccountStore.find(tx, session.account()))
                        .flatMap(found -> passwords.find(found.email(), password, client))
                        .filter(found -> found.id().equals(session.account()))
                        .orElseThrow(AccountRoutes::wrongPassword);
        db.run(tx -> {
            lock(tx, account.id());
            requireUnchanged(tx, session, account);
            delete(tx, account.id(), authenticator.trail(request, session));
        });
        return Reply.noContent().with(List.of(cookie.clear()));
    }

    private static ApiException wrongPassword() {
        return new ApiException(ApiErrorCode.FORBIDDEN, "The password is wrong.");
    }

    /// Refuses the request if the password was changed or the session ended while the client waited
    /// for the password check.
    private static void requireUnchanged(Tx tx, Session session, Account account) {
        if (!AccountStore.lockUnchanged(tx, account)) {
            throw wrongPassword();
        }
        if (!SessionStore.isOpen(tx, session.id())) {
            throw Authenticator.sessionEnded();
        }
    }

    private static void delete(Tx tx, UUID account, AuditTrail trail) {
        var owned =
                MemberStore.memberships(tx, account).stream()
                        .filter(membership -> membership.role() == Role.OWNER)
                        .map(Membership::workspace)
                        .filter(workspace ->
                                !MemberStore.hasOtherOwner(tx, workspace.id(), account))
                        .toList();
        if (!owned.isEmpty()) {
            throw new ApiException(ApiErrorCode.CONFLICT, refusal(owned));
        }
        trail.recordOfPerson(tx, account, "person.account_deleted");
        InviteStore.deleteAllBy(tx, account);
        MemberStore.deleteAll(tx, account);
        PasswordResetStore.delete(tx, account);
        AccountStore.delete(tx, account);
    }

    /// Locks the account and its workspaces until the transaction ends. Without the locks, two
    /// owners who leave at the same time could each rely on the other to stay. Workspaces are
    /// locked in the order of their ids, so that two account deletions cannot deadlock.
    private static void lock(Tx tx, UUID account) {
        MemberStore.memberships(tx, account).stream()
                .map(membership -> membership.workspace().id())
                .sorted(Comparator.comparing(id -> id.value().toString()))
                .forEach(id -> WorkspaceStore.lock(tx, id));
        AccountStore.lock(tx, account);
    }

    private static String refusal(List<Workspace> workspaces) {
        int more = workspaces.size() - MAX_NAMED_WORKSPACES;
        return "You are the last owner of "
                + workspaces.stream()
                        .limit(MAX_NAMED_WORKSPACES)
                        .map(Workspace::name)
                        .collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "")
                + ". Transfer or delete each of these workspaces first.";
    }
}
