package dev.sluice;

import dev.sluice.account.access.Account;
import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.people.PasswordRecovery;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The `sluice reset-password EMAIL` command: sets a person's password and ends the person's
/// sessions, whether or not a server is running.
final class ResetPasswordCommand {

    private static final int EXIT_DONE = 0;
    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_ERROR = 2;

    private static final String PASSWORD_STDIN = "--password-stdin";
    private static final String USAGE =
            "Usage: sluice reset-password EMAIL [--password-stdin]. Without the option, a random"
                    + " password is set and printed.";

    private ResetPasswordCommand() {}

    /// Runs the command.
    ///
    /// @param config the settings of the server whose account is changed
    /// @param arguments the arguments after `reset-password`
    /// @param in supplies the password as its first line if `--password-stdin` is given
    /// @return the exit status
    static int run(
            Config config,
            List<String> arguments,
            InputStream in,
            PrintStream out,
            PrintStream err) {
        if (arguments.equals(List.of("--help"))) {
            out.println(USAGE);
            return EXIT_DONE;
        }
        var words = new ArrayList<>(arguments);
        boolean isGiven = words.remove(PASSWORD_STDIN);
        if (words.size() != 1 || words.getFirst().startsWith("-")) {
            err.println(USAGE);
            return EXIT_ERROR;
        }
        var random = new SecretGenerator();
        try {
            String email = Account.normalizedEmail(words.getFirst());
            var password = isGiven ? new Secret(firstLine(in)) : PasswordRecovery.generate(random);
            var refusal = PasswordRecovery.refusal(password);
            if (refusal.isPresent()) {
                err.println(refusal.get());
                return EXIT_ERROR;
            }
            if (set(config, email, password, random).isEmpty()) {
                err.println("There is no account with the address " + email + ".");
                return EXIT_REFUSED;
            }
            out.println(
                    isGiven
                            ? "The password of " + email + " is set."
                            : "The new password of " + email + " is " + password.reveal());
            out.println("All sessions of this person have ended.");
            return EXIT_DONE;
        } catch (RuntimeException | IOException e) {
            err.println("The password could not be set: " + CommandFailure.reason(e));
            return EXIT_ERROR;
        }
    }

    private static Optional<Account> set(
            Config config, String email, Secret password, SecretGenerator random) {
        return CommandDatabase.use(
                config,
                "reset-password",
                db -> db.call(tx -> PasswordRecovery.set(tx, email, password, random, trail(tx))));
    }

    private static AuditTrail trail(Tx tx) {
        var now = tx.now();
        var ids = new Uuid7(InstantSource.fixed(now), RandomGenerator.getDefault());
        return new AuditTrail(AuditActor.operator(), "", ids);
    }

    private static String firstLine(InputStream in) throws IOException {
        var reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        return Optional.ofNullable(reader.readLine()).orElse("");
    }
}
