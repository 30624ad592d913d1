package dev.sluice;

import dev.sluice.account.access.KeyRecovery;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;

/// The `sluice reset-key` command: creates an API key with full access for a workspace, whether or
/// not a server is running. The workspace's other keys stay valid.
final class ResetKeyCommand {

    private static final int EXIT_DONE = 0;
    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_ERROR = 2;

    private static final String WORKSPACE = "--workspace";
    private static final String USAGE =
            "Usage: sluice reset-key [--workspace WORKSPACE]. WORKSPACE is an id or a name; without"
                    + " it, the key is for the first workspace.";

    /// @param found the workspaces that the arguments select
    /// @param key the new key; empty unless exactly one workspace was found
    private record CreatedKey(List<Workspace> found, Secret key) {}

    private ResetKeyCommand() {}

    /// Runs the command.
    ///
    /// @param config the settings of the server whose workspace gets the key
    /// @param arguments the arguments after `reset-key`
    /// @return the exit status
    static int run(Config config, List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.equals(List.of("--help"))) {
            out.println(USAGE);
            return EXIT_DONE;
        }
        boolean isFirst = arguments.isEmpty();
        if (!isFirst && !(arguments.size() == 2 && arguments.getFirst().equals(WORKSPACE))) {
            err.println(USAGE);
            return EXIT_ERROR;
        }
        try {
            var created =
                    CommandDatabase.use(
                            config,
                            "reset-key",
                            db ->
                                    db.call(tx ->
                                            create(
                                                    tx,
                                                    isFirst
                                                            ? WorkspaceStore.first(tx)
                                                            : find(tx, arguments.getLast()))));
            return print(created, out, err);
        } catch (RuntimeException e) {
            err.println("The key could not be created: " + CommandFailure.reason(e));
            return EXIT_ERROR;
        }
    }

    private static List<Workspace> find(Tx tx, String idOrName) {
        try {
            var id = new WorkspaceId(FieldReader.parseUuid(idOrName));
            return WorkspaceStore.find(tx, id).stream().toList();
        } catch (IllegalArgumentException e) {
            return WorkspaceStore.named(tx, idOrName);
        }
    }

    private static CreatedKey create(Tx tx, List<Workspace> found) {
        if (found.size() != 1) {
            return new CreatedKey(found, new Secret(""));
        }
        var now = tx.now();
        var ids = new Uuid7(InstantSource.fixed(now), RandomGenerator.getDefault());
        var key = KeyRecovery.create(tx, found.getFirst().id(), ids, new SecretGenerator(), now);
        return new CreatedKey(found, key);
    }

    private static int print(CreatedKey created, PrintStream out, PrintStream err) {
        if (created.found().isEmpty()) {
            err.println("There is no such workspace.");
            return EXIT_REFUSED;
        }
        if (created.found().size() > 1) {
            err.println("Several workspaces have this name. Give an id:");
            created.found().forEach(workspace -> err.println("  " + workspace.id()));
            return EXIT_REFUSED;
        }
        out.println(
                "The new API key of the workspace "
                        + created.found().getFirst().name()
                        + " is "
                        + created.key().reveal());
        out.println("It has full access and is shown once. Earlier keys stay valid.");
        return EXIT_DONE;
    }
}
