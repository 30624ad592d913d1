package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.mail.MailMessage;
import dev.sluice.platform.mail.MailQueue;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.secret.Sha256;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// Creates password resets in the background and sends their links by e-mail.
///
/// The account is looked up here, in the background, rather than while the request is handled. The
/// response therefore takes the same time whether or not the account exists. Thread-safe.
public final class PasswordResetMailer {

    private static final Logger log = LoggerFactory.getLogger(PasswordResetMailer.class);
    private static final int MAX_REQUESTS = 1_000;
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);
    private static final int TOKEN_LENGTH = 43; // more than 255 random bits

    private final Db db;
    private final Optional<MailQueue> mail;
    private final String baseUrl;
    private final SecretGenerator random;
    private final InstantSource clock;
    private final BlockingQueue<String> requests = new ArrayBlockingQueue<>(MAX_REQUESTS);
    private final Wake wake = new Wake();

    /// @param mail empty if the server sends no mail
    /// @param baseUrl the server's public address; links in e-mails begin with it
    public PasswordResetMailer(
            Db db,
            Optional<MailQueue> mail,
            String baseUrl,
            SecretGenerator random,
            InstantSource clock) {
        this.db = db;
        this.mail = mail;
        this.baseUrl = baseUrl;
        this.random = random;
        this.clock = clock;
    }

    /// Queues a request to reset the password of the account with this address. Returns
    /// immediately. If the queue is full, discards the request and logs a warning.
    ///
    /// @param email in the form that [Account#normalizedEmail] returns
    void request(String email) {
        if (!requests.offer(email)) {
            log.atWarn().log("password_reset.discarded");
        }
        wake.wake();
    }

    /// Returns the chore that creates the resets.
    public Chore chore() {
        return new Chore("password resets", LOOK_INTERVAL, this::handleNext).wokenBy(wake);
    }

    /// Handles the oldest request. Returns false if there is none. A request stays in the queue
    /// while the database does not answer.
    private boolean handleNext() {
        @Nullable String email = requests.peek();
        if (email == null) {
            return false;
        }
        boolean isKept = false;
        try {
            db.call(tx -> AccountStore.find(tx, email)).ifPresent(this::handle);
        } catch (DbException e) {
            isKept = e.failure().isPassing();
            throw e;
        } finally {
            if (!isKept) {
                var _ = requests.poll();
            }
        }
        return true;
    }

    private void handle(Account account) {
        if (mail.isEmpty()) {
            log.atWarn()
                    .addKeyValue("email", account.email())
                    .addKeyValue("remedy", "sluice reset-password EMAIL")
                    .log("password_reset.not_mailed");
            return;
        }
        String token = random.base62(TOKEN_LENGTH);
        boolean isNew =
                db.call(tx ->
                        PasswordResetStore.replace(
                                tx, account.id(), Sha256.hash(token), clock.instant()));
        if (isNew) {
            mail.get().offer(message(account, token));
        }
    }

    private MailMessage message(Account account, String token) {
        return new MailMessage(
                account.email(),
                "Set a new password for Sluice",
                """
                Somebody, probably you, asked for a new password for the account
                %s at %s.

                Set it here within an hour. The link works once.

                %s/reset#%s

                If you did not ask, ignore this mail. Your password stays as it is.
                """
                        .formatted(account.email(), baseUrl, baseUrl, token));
    }
}
