package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.PasswordHasher;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.VisibleText;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.util.Optional;

/// Sets a person's password on behalf of the server's operator, who needs neither a session nor a
/// mailed link.
public final class PasswordRecovery {

    private static final int GENERATED_LENGTH = 24;
    private static final int SALT_BYTES = 16;

    private PasswordRecovery() {}

    public static Secret generate(SecretGenerator random) {
        return new Secret(random.base62(GENERATED_LENGTH));
    }

    /// Returns a sentence that says why a password is not allowed, or empty if it is allowed.
    public static Optional<String> refusal(Secret password) {
        String text = password.reveal();
        int length = text.codePointCount(0, text.length());
        if (length < PasswordFields.MIN_LENGTH || length > PasswordFields.MAX_LENGTH) {
            return Optional.of(
                    "The password must have "
                            + PasswordFields.MIN_LENGTH
                            + " to "
                            + PasswordFields.MAX_LENGTH
                            + " characters.");
        }
        return VisibleText.isVisible(text)
                ? Optional.empty()
                : Optional.of("The password must have at least one visible character.");
    }

    /// Sets the password of the account with this e-mail address. Ends the account's sessions and
    /// deletes its reset link. Returns the account, or empty if there is none.
    public static Optional<Account> set(
            Tx tx, String email, Secret password, SecretGenerator random, AuditTrail trail) {
        var account = AccountStore.find(tx, email);
        account.ifPresent(found -> {
            AccountStore.setPasswordHash(
                    tx, found.id(), PasswordHasher.hash(password, random.bytes(SALT_BYTES)));
            SessionStore.endAll(tx, found.id(), Optional.empty());
            PasswordResetStore.delete(tx, found.id());
            trail.recordOfPerson(tx, found.id(), "person.password_reset");
        });
        return account;
    }
}
