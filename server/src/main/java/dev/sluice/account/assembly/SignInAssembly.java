package dev.sluice.account.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.SessionCookie;
import dev.sluice.account.access.SessionOpener;
import dev.sluice.account.people.AccountRoutes;
import dev.sluice.account.people.PasswordCheck;
import dev.sluice.account.people.PasswordResetMailer;
import dev.sluice.account.people.PasswordResetRoutes;
import dev.sluice.account.people.PasswordRoutes;
import dev.sluice.account.people.PeopleSettings;
import dev.sluice.account.people.RegistrationRoutes;
import dev.sluice.account.people.SessionRoutes;
import dev.sluice.account.people.SignInRoutes;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.mail.MailQueue;
import dev.sluice.platform.secret.SecretGenerator;

import java.util.Optional;

/// Builds all routes under `/api/v1/auth`: sign-in, registration, passwords, sessions and account
/// deletion.
final class SignInAssembly {

    private final SignInRoutes signIn;
    private final RegistrationRoutes registration;
    private final PasswordRoutes password;
    private final SessionRoutes sessions;
    private final AccountRoutes account;
    private final PasswordResetRoutes passwordReset;
    private final PasswordResetMailer resetMailer;

    /// @param mail empty if the server sends no mail
    SignInAssembly(
            ApiContext api,
            PeopleSettings settings,
            Optional<MailQueue> mail,
            SecretGenerator random) {
        var db = api.db();
        var authenticator = api.authenticator();
        var ids = api.ids();
        var clock = api.clock();
        var cookie = new SessionCookie(settings.baseUrl());
        var clientAddress = new ClientAddress(settings.trustedProxies());
        var passwords = new PasswordCheck(db, random, clock);
        var opener = new SessionOpener(cookie, clientAddress, ids, random);
        signIn = new SignInRoutes(db, passwords, opener, cookie, clientAddress, clock);
        registration =
                new RegistrationRoutes(
                        db,
                        passwords,
                        opener,
                        clientAddress,
                        settings.firstPlan(),
                        settings.isRegistrationOpen(),
                        ids,
                        clock);
        password = new PasswordRoutes(db, authenticator, passwords, opener, clientAddress);
        sessions = new SessionRoutes(db, authenticator, clock);
        account = new AccountRoutes(db, authenticator, passwords, cookie, clientAddress);
        resetMailer = new PasswordResetMailer(db, mail, settings.baseUrl(), random, clock);
        passwordReset =
                new PasswordResetRoutes(db, passwords, resetMailer, clientAddress, ids, clock);
    }

    void addTo(Api api) {
        signIn.addTo(api);
        registration.addTo(api);
        password.addTo(api);
        sessions.addTo(api);
        account.addTo(api);
        passwordReset.addTo(api);
    }

    Chore resetMails() {
        return resetMailer.chore();
    }
}
