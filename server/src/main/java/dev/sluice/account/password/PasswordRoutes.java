package dev.sluice.account.password;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.SessionStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.secret.Secret;

import java.io.IOException;
import java.util.Optional;

/// The route `POST /api/v1/auth/password`: a signed-in person changes the password. All other
/// sessions of the person end.
public final class PasswordRoutes {

    private final Db db;
    private final Authenticator authenticator;
    private final PasswordCheck passwords;
    private final ClientAddress clientAddress;

    public PasswordRoutes(
            Db db,
            Authenticator authenticator,
            PasswordCheck passwords,
            ClientAddress clientAddress) {
        this.db = db;
        this.authenticator = authenticator;
        this.passwords = passwords;
        this.clientAddress = clientAddress;
    }

    public void addTo(Router router) {
        router.post("/api/v1/auth/password", this::change);
    }

    private Reply change(Request request) throws IOException {
        var session = authenticator.session(request);
        var input = request.jsonBody();
        var current = PasswordFields.given(input, "current_password");
        var next = PasswordFields.newPassword(input, "new_password");
        input.check();
        Account account = db.call(tx -> AccountStore.find(tx, session.account())).orElseThrow();
        var client = clientAddress.of(request);
        if (passwords.find(account.email(), current, client).isEmpty()) {
            throw new ApiException(ApiErrorCode.FORBIDDEN, "The current password is wrong.");
        }
        String hash = passwords.hash(next.orElse(new Secret("")), client);
        db.run(tx -> {
            AccountStore.setPasswordHash(tx, account.id(), hash);
            SessionStore.endAll(tx, account.id(), Optional.of(session.id()));
            authenticator
                    .trail(request, session)
                    .recordOfPerson(tx, account.id(), "person.password_changed");
            PasswordResetStore.delete(tx, account.id());
        });
        return Reply.noContent();
    }
}
