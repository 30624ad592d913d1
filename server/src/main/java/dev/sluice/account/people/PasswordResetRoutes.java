package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.NetworkCounter;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.Sha256;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/// The routes `POST /api/v1/auth/password-reset` and `…/password-reset/confirm`, which let a person
/// who forgot their password set a new one through an e-mailed link.
///
/// The response to a request for a link is the same whether or not an account exists for the e-mail
/// address. At most 20 such requests a minute are accepted from one network. After a reset e-mail
/// has been sent to an account, no other is sent for five minutes unless the link is used or the
/// password is changed first.
public final class PasswordResetRoutes {

    private static final int MAX_REQUESTS_PER_MINUTE = 20;

    private final Db db;
    private final PasswordCheck passwords;
    private final PasswordResetMailer mailer;
    private final ClientAddress clientAddress;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final NetworkCounter requests = new NetworkCounter();

    public PasswordResetRoutes(
            Db db,
            PasswordCheck passwords,
            PasswordResetMailer mailer,
            ClientAddress clientAddress,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.passwords = passwords;
        this.mailer = mailer;
        this.clientAddress = clientAddress;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.openPost("/api/v1/auth/password-reset", Set.of(Budget.DATABASE), this::request);
        api.openPost("/api/v1/auth/password-reset/confirm", Set.of(Budget.DATABASE), this::confirm);
    }

    private Reply request(Request request) throws IOException {
        var now = clock.instant();
        String network = ClientAddress.network(clientAddress.of(request));
        var delay = requests.delay(network, MAX_REQUESTS_PER_MINUTE, now);
        if (!delay.isZero()) {
            throw ApiException.tooMany(
                    "Too many password resets were asked for from your network.", delay);
        }
        var input = request.jsonBody();
        var email = input.required("email", input.parsed("email", Account::normalizedEmail));
        input.check();
        requests.add(network, now);
        mailer.request(email.orElse(""));
        return Reply.empty(202).with("Location", "/api/v1/auth/password-reset/confirm");
    }

    private Reply confirm(Request request) throws IOException {
        var input = request.jsonBody();
        var token = input.required("token", input.text("token", 1, 200));
        var password = PasswordFields.newPassword(input, "password");
        input.check();
        byte[] tokenHash = Sha256.hash(token.orElse(""));
        // The token is looked up before the password is hashed, so that a wrong token costs no
        // hashing.
        var _ =
                db.call(tx -> PasswordResetStore.find(tx, tokenHash, clock.instant()))
                        .orElseThrow(PasswordResetRoutes::unknownToken);
        var client = clientAddress.of(request);
        String hash = passwords.hashForOwner(password.orElse(new Secret("")), client);
        var account =
                db.call(tx -> {
                    var id =
                            PasswordResetStore.take(tx, tokenHash, clock.instant())
                                    .orElseThrow(PasswordResetRoutes::unknownToken);
                    AccountStore.setPasswordHash(tx, id, hash);
                    SessionStore.endAll(tx, id, Optional.empty());
                    new AuditTrail(AuditActor.user(id), client.getHostAddress(), ids)
                            .recordOfPerson(tx, id, "person.password_reset");
                    return AccountStore.find(tx, id).orElseThrow();
                });
        passwords.forgetFailures(account.email(), client);
        return Reply.noContent();
    }

    private static ApiException unknownToken() {
        return new ApiException(
                ApiErrorCode.NOT_FOUND,
                "This link is unknown, was used, or is older than an hour. Ask for a new one with"
                        + " POST /api/v1/auth/password-reset.");
    }
}
