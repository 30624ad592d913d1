package dev.sluice;

import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.Suspension;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/// The commands `sluice suspend WORKSPACE [--reason TEXT]` and `sluice resume WORKSPACE`: let the
/// operator stop a workspace and let it go on, whether or not a server is running.
final class SuspensionCommand {

    private static final int EXIT_DONE = 0;
    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_ERROR = 2;

    private static final int MAX_REASON_LENGTH = 200;

    private static final String SUSPEND_USAGE =
            "Usage: sluice suspend WORKSPACE [--reason TEXT]. WORKSPACE is the workspace's id. Its"
                    + " members read TEXT.";
    private static final String RESUME_USAGE =
            "Usage: sluice resume WORKSPACE. WORKSPACE is the workspace's id.";
    private static final String WRONG_REASON =
            "TEXT must be one line of 1 to " + MAX_REASON_LENGTH + " characters.";

    /// A change that the operator asks for.
    ///
    /// @param command the name of the command
    /// @param reason what the members are told, or empty to lift the suspension
    private record SuspensionChange(String command, String usage, Optional<String> reason) {}

    private SuspensionCommand() {}

    /// Runs `suspend`.
    ///
    /// @param config the settings of the server whose workspace is changed
    /// @param arguments the arguments after `suspend`
    /// @return the exit status
    static int suspend(Config config, List<String> arguments, PrintStream out, PrintStream err) {
        boolean hasReason = arguments.size() == 3 && arguments.get(1).equals("--reason");
        String reason = hasReason ? arguments.get(2).strip() : "";
        if (hasReason && !isReason(reason)) {
            err.println(WRONG_REASON);
            return EXIT_ERROR;
        }
        return run(
                config,
                hasReason ? arguments.subList(0, 1) : arguments,
                new SuspensionChange("suspend", SUSPEND_USAGE, Optional.of(reason)),
                out,
                err);
    }

    private static boolean isReason(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_REASON_LENGTH
                && text.codePoints().noneMatch(Character::isISOControl);
    }

    /// Runs `resume`.
    ///
    /// @param config the settings of the server whose workspace is changed
    /// @param arguments the arguments after `resume`
    /// @return the exit status
    static int resume(Config config, List<String> arguments, PrintStream out, PrintStream err) {
        return run(
                config,
                arguments,
                new SuspensionChange("resume", RESUME_USAGE, Optional.empty()),
                out,
                err);
    }

    private static int run(
            Config config,
            List<String> arguments,
            SuspensionChange asked,
            PrintStream out,
            PrintStream err) {
        if (arguments.equals(List.of("--help"))) {
            out.println(asked.usage());
            return EXIT_DONE;
        }
        if (arguments.size() != 1) {
            err.println(asked.usage());
            return EXIT_ERROR;
        }
        var workspace = WorkspaceArgument.parse(arguments.getFirst());
        if (workspace.isEmpty()) {
            err.println(WorkspaceArgument.WRONG);
            return EXIT_ERROR;
        }
        try {
            var done =
                    CommandDatabase.use(
                            config,
                            asked.command(),
                            db -> db.call(tx -> change(tx, workspace.get(), asked.reason())));
            if (done.isEmpty()) {
                err.println("There is no workspace with this id.");
                return EXIT_REFUSED;
            }
            out.println(done.get());
            return EXIT_DONE;
        } catch (RuntimeException e) {
            err.println("The workspace could not be changed: " + CommandFailure.reason(e));
            return EXIT_ERROR;
        }
    }

    /// Suspends the workspace for this reason, or lifts its suspension if there is none. Returns a
    /// sentence that says what was done, or empty if there is no such workspace.
    private static Optional<String> change(Tx tx, WorkspaceId id, Optional<String> reason) {
        return WorkspaceStore.find(tx, id)
                .map(found -> {
                    boolean isDone = found.suspension().map(Suspension::reason).equals(reason);
                    if (!isDone) {
                        change(tx, found, reason);
                    }
                    return sentence(found.name(), reason.isPresent(), isDone);
                });
    }

    private static String sentence(String name, boolean isSuspended, boolean wasDone) {
        if (wasDone) {
            return "The workspace "
                    + name
                    + (isSuspended ? " was suspended already." : " was not suspended.");
        }
        return "The workspace "
                + name
                + (isSuspended ? " is suspended." : " is resumed.")
                + " A running server enforces it within two seconds.";
    }

    private static void change(Tx tx, Workspace found, Optional<String> reason) {
        long version = WorkspaceStore.nextConfigVersion(tx);
        var now = tx.now();
        // Another reason does not begin another suspension.
        var since = found.suspension().map(Suspension::since).orElse(now);
        WorkspaceStore.setSuspension(
                tx, found.id(), reason.map(text -> new Suspension(since, text)), now, version);
        new AuditTrail(
                        AuditActor.operator(),
                        "",
                        new Uuid7(InstantSource.fixed(now), RandomGenerator.getDefault()))
                .record(
                        tx,
                        found.id(),
                        reason.isPresent() ? "workspace.suspended" : "workspace.resumed",
                        found.id().value(),
                        found.name(),
                        Set.of());
    }
}
