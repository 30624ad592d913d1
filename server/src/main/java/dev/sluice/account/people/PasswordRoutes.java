package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.Api;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.Gate;
import dev.sluice.account.access.Session;
import dev.sluice.account.access.SessionOpener;
import dev.sluice.account.access.SessionStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.secret.Secret;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The route `POST /api/v1/auth/password`, with which a signed-in person changes their password.
/// All of the person's other sessions end, and the current session gets a new token.
public final class PasswordRoutes {

    private final Db db;
    private final Authenticator authenticator;
    private final PasswordCheck passwords;
    private final SessionOpener sessions;
    private final ClientAddress clientAddress;

    public PasswordRoutes(
            Db db,
            Authenticator authenticator,
            PasswordCheck passwords,
            SessionOpener sessions,
            ClientAddress clientAddress) {
        this.db = db;
        this.authenticator = authenticator;
        this.passwords = passwords;
        this.sessions = sessions;
        this.clientAddress = clientAddress;
    }

    public void addTo(Api api) {
        api.post("/api/v1/auth/password", Gate.PERSON, Set.of(Budget.DATABASE), this::change);
    }

    private Reply change(Session session, Request request) throws IOException {
        var input = request.jsonBody();
        var current = PasswordFields.given(input, "current_password");
        var next = PasswordFields.newPassword(input, "new_password");
        input.check();
        var client = clientAddress.of(request);
        var account = check(session, current, client);
        String hash = passwords.hashForOwner(next.orElse(new Secret("")), client);
        return db.call(tx -> {
            var cookie = change(tx, session, account, hash);
            authenticator
                    .trail(request, session)
                    .recordOfPerson(tx, account.id(), "person.password_changed");
            return Reply.noContent().with(List.of(cookie));
        });
    }

    /// Checks the current password. Returns the session's account as it was when the password was
    /// checked.
    private Account check(Session session, Secret current, InetAddress client) {
        return db.call(tx -> AccountStore.find(tx, session.account()))
                .flatMap(account -> passwords.find(account.email(), current, client))
                .filter(account -> account.id().equals(session.account()))
                .orElseThrow(PasswordRoutes::wrongPassword);
    }

    /// Stores the new hash and returns the session's new cookie. Refuses the request if the
    /// password was changed or the session ended while the client waited for the password check.
    private Header change(Tx tx, Session session, Account account, String hash) {
        if (!AccountStore.lockUnchanged(tx, account)) {
            throw wrongPassword();
        }
        AccountStore.setPasswordHash(tx, account.id(), hash);
        SessionStore.endAll(tx, account.id(), Optional.of(session.id()));
        PasswordResetStore.delete(tx, account.id());
        return sessions.rotate(tx, session).orElseThrow(Authenticator::sessionEnded);
    }

    private static ApiException wrongPassword() {
        return new ApiException(ApiErrorCode.FORBIDDEN, "The current password is wrong.");
    }
}
