package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.workspace.MemberStore;
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
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Secret;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// The route `POST /api/v1/auth/register`: an account with a workspace of its own.
public final class RegistrationRoutes {

    private final Db db;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final PasswordCheck passwords;
    private final SessionOpener sessionOpener;
    private final ClientAddress clientAddress;
    private final String firstPlan;
    private final boolean isOpen;

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

    public void addTo(Router router) {
        router.post("/api/v1/auth/register", this::register);
    }

    private Reply register(Request request) throws IOException {
        if (!isOpen) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "Registration is closed on this server. Ask a member for an invite.");
        }
        var input = request.jsonBody();
        var email = input.required("email", input.parsed("email", Account::normalizedEmail));
        var password = PasswordFields.newPassword(input, "password");
        var name = input.required("name", input.text("name", 1, 100));
        var workspaceName = input.required("workspace_name", input.text("workspace_name", 1, 100));
        input.check();
        String hash = passwords.hash(password.orElse(new Secret("")), clientAddress.of(request));
        var account = new Account(ids.next(), email.orElse(""), name.orElse(""), hash);
        return db.call(tx -> create(tx, request, account, workspaceName.orElse("")));
    }

    private Reply create(Tx tx, Request request, Account account, String workspaceName) {
        var now = clock.instant();
        if (!AccountStore.insert(tx, account, now)) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "An account with this e-mail address exists. Sign in, or reset its password.");
        }
        var workspace = new Workspace(new WorkspaceId(ids.next()), workspaceName, firstPlan);
        WorkspaceStore.create(tx, workspace, now);
        MemberStore.insert(tx, workspace.id(), account.id(), Role.OWNER, now);
        var cookie =
                sessionOpener.open(tx, request, account.id(), Optional.of(workspace.id()), now);
        return Reply.created(
                        PersonJson.of(
                                account,
                                Optional.of(new MemberStore.Membership(workspace, Role.OWNER))))
                .with(List.of(cookie))
                .with("Cache-Control", "no-store");
    }
}
