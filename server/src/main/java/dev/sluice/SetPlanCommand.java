package dev.sluice;

import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.PlanChange;
import dev.sluice.account.plan.PlanStore;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.io.PrintStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The `sluice set-plan WORKSPACE PLAN` command: lets the operator move a workspace to another
/// plan, whether or not a server is running.
final class SetPlanCommand {

    private static final int EXIT_DONE = 0;
    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_ERROR = 2;

    private static final String CONFIRM = "--confirm";
    private static final String USAGE =
            "Usage: sluice set-plan WORKSPACE PLAN [--confirm]. WORKSPACE is the workspace's id.";

    private SetPlanCommand() {}

    /// Runs the command.
    ///
    /// @param config the settings of the server whose workspace is changed
    /// @param arguments the arguments after `set-plan`
    /// @return the exit status
    static int run(Config config, List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.equals(List.of("--help"))) {
            out.println(USAGE);
            return EXIT_DONE;
        }
        var words = new ArrayList<>(arguments);
        boolean isConfirmed = words.remove(CONFIRM);
        if (words.size() != 2) {
            err.println(USAGE);
            return EXIT_ERROR;
        }
        var plans = config.account().plans();
        var plan = plans.find(words.get(1));
        var workspace = WorkspaceArgument.parse(words.getFirst());
        if (plan.isEmpty() || workspace.isEmpty()) {
            err.println(
                    plan.isEmpty()
                            ? "The plan must be one of " + String.join(", ", plans.names()) + "."
                            : WorkspaceArgument.WRONG);
            return EXIT_ERROR;
        }
        try {
            return change(config, plans, workspace.get(), plan.get(), isConfirmed, out, err);
        } catch (RuntimeException e) {
            err.println("The plan could not be changed: " + CommandFailure.reason(e));
            return EXIT_ERROR;
        }
    }

    private static int change(
            Config config,
            PlanCatalog plans,
            WorkspaceId workspace,
            Plan plan,
            boolean isConfirmed,
            PrintStream out,
            PrintStream err) {
        var change =
                CommandDatabase.use(
                        config,
                        "set-plan",
                        db -> db.call(tx -> change(tx, plans, workspace, plan, isConfirmed)));
        if (change.isEmpty()) {
            err.println("There is no workspace with this id.");
            return EXIT_REFUSED;
        }
        return switch (change.get()) {
            case PlanChange.Changed(var changed) -> {
                out.println(
                        "The workspace "
                                + changed.name()
                                + " has the plan "
                                + changed.plan()
                                + " now. A running server enforces it within two seconds.");
                yield EXIT_DONE;
            }
            case PlanChange.Unconfirmed unconfirmed -> {
                err.println(
                        unconfirmed.message()
                                + " Nothing was changed. Add "
                                + CONFIRM
                                + " to change it anyway.");
                yield EXIT_REFUSED;
            }
        };
    }

    private static Optional<PlanChange> change(
            Tx tx, PlanCatalog plans, WorkspaceId workspace, Plan plan, boolean isConfirmed) {
        var now = tx.now();
        var ids = new Uuid7(InstantSource.fixed(now), RandomGenerator.getDefault());
        var change =
                PlanChange.apply(
                        tx,
                        PlanStore.withVanished(tx, plans),
                        workspace,
                        plan,
                        isConfirmed,
                        now,
                        WorkspaceStore.nextConfigVersion(tx));
        change.ifPresent(
                result -> result.recordTo(tx, new AuditTrail(AuditActor.operator(), "", ids)));
        return change;
    }
}
