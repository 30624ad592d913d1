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
import dev.sluice.account.access.SessionOpener;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.secret.Secret;

import java.io.IOException;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/// The routes `POST /api/v1/auth/login` and `/auth/logout`: signing in and out.
public final class SignInRoutes {

    private final Db db;
    private final PasswordCheck passwords;
    private final SessionOpener sessionOpener;
    private final SessionCookie cookie;
    private final ClientAddress clientAddress;
    private final InstantSource clock;

    public SignInRoutes(
            Db db,
            PasswordCheck passwords,
            SessionOpener sessionOpener,
            SessionCookie cookie,
            ClientAddress clientAddress,
            InstantSource clock) {
        this.db = db;
        this.passwords = passwords;
        this.sessionOpener = sessionOpener;
        this.cookie = cookie;
        this.clientAddress = clientAddress;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.openPost("/api/v1/auth/login", Set.of(Budget.DATABASE), this::login);
        api.post("/api/v1/auth/logout", Gate.PERSON, Set.of(Budget.DATABASE), this::logout);
    }

    private Reply login(Request request) throws IOException {
        var input = request.jsonBody();
        var email = input.required("email", input.parsed("email", Account::normalizedEmail));
        var password = PasswordFields.given(input, "password");
        input.check();
        var client = clientAddress.of(request);
        var account =
                passwords
                        .find(email.orElse(""), password, client)
                        .orElseThrow(SignInRoutes::wrongPassword);
        var reply = openSession(request, account);
        replaceOldHash(account, password, client);
        return reply;
    }

    private Reply openSession(Request request, Account account) {
        return db.call(tx -> {
            // The password may have been changed while the client waited for the check. The lock
            // makes a later change wait until this session is stored, so that the change also ends
            // this session.
            if (!AccountStore.lockUnchanged(tx, account)) {
                throw wrongPassword();
            }
            var first = MemberStore.memberships(tx, account.id()).stream().findFirst();
            var header =
                    sessionOpener.open(
                            tx,
                            request,
                            account.id(),
                            first.map(membership -> membership.workspace().id()),
                            clock.instant());
            return Reply.ok(PersonJson.of(account, first))
                    .with(List.of(header))
                    .with("Cache-Control", "no-store");
        });
    }

    /// Replaces a password hash that was created with older parameters. Does nothing if too many
    /// clients are waiting or if the hash has been replaced in the meantime; a later sign-in tries
    /// again.
    private void replaceOldHash(Account account, Secret password, InetAddress client) {
        try {
            passwords
                    .rehash(account, password, client)
                    .ifPresent(hash ->
                            db.run(tx -> {
                                if (AccountStore.lockUnchanged(tx, account)) {
                                    AccountStore.setPasswordHash(tx, account.id(), hash);
                                }
                            }));
        } catch (ApiException e) {
            // The person is signed in anyway.
        }
    }

    private static ApiException wrongPassword() {
        return Authenticator.unauthorized("The e-mail address or the password is wrong.");
    }

    private Reply logout(Session session, Request request) {
        db.run(tx -> SessionStore.end(tx, session.account(), session.id()));
        return Reply.noContent().with(List.of(cookie.clear()));
    }
}
