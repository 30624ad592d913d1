package dev.sluice.cli.declare;

import dev.sluice.cli.api.FileArgument;
import dev.sluice.cli.declare.PlannedChange.FieldUpdate;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.SafeText;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;

/// The `sluice apply` command, which changes a workspace so that it matches a file.
@Command(
        name = "apply",
        description =
                "Change sources, destinations and connections to match a file. Applying it twice"
                        + " changes nothing more.")
public final class ApplyCommand implements Runnable {

    private final CommandContext context;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            required = true,
            description = "The file, in YAML; - is standard input.")
    private @SuppressWarnings("NullAway.Init") String file;

    @Option(names = "--dry-run", description = "Only show what would change.")
    private boolean isDryRun;

    @Option(names = "--prune", description = "Delete resources that are not in the file.")
    private boolean isPruned;

    @Option(
            names = "--update-secrets",
            description =
                    "Send all secrets again. Secrets cannot be compared, so changed ones are not"
                            + " noticed otherwise.")
    private boolean hasNewSecrets;

    public ApplyCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var shell = context.shell();
        var wanted = GatewayFile.read(FileArgument.read(file, shell), new SecretReferences(shell));
        try (var client = ServerAccess.resolve(context).client()) {
            var state = ExistingGateway.read(client);
            var changes = ChangePlan.of(wanted, state, isPruned, hasNewSecrets);
            var runner = new ChangeRunner(client, state);
            for (var change : changes) {
                if (!isDryRun) {
                    runner.run(change);
                }
                print(change);
            }
            finish(changes);
        }
    }

    /// Prints a change that was made or, in a dry run, would be made. Prints nothing unless the
    /// output format is `pretty`.
    private void print(PlannedChange change) {
        if (context.output() != OutputFormat.PRETTY) {
            return;
        }
        var out = context.shell().out();
        out.println(SafeText.line(change.summary()));
        if (change instanceof FieldUpdate update) {
            update.differences().forEach(line -> out.println(SafeText.line("    " + line)));
        }
    }

    private void finish(List<PlannedChange> changes) {
        if (context.output() != OutputFormat.JSON) {
            context.shell()
                    .note(
                            changes.isEmpty()
                                    ? "Nothing to change."
                                    : "%d changes%s."
                                            .formatted(
                                                    changes.size(),
                                                    isDryRun ? " would be made" : " made"));
            return;
        }
        var result = JsonTree.object();
        var list = result.putArray("changes");
        for (var change : changes) {
            var entry =
                    JsonTree.object()
                            .put("action", change.action())
                            .put("kind", change.kind().word())
                            .put("name", change.name());
            if (change instanceof FieldUpdate update) {
                var fields = entry.putArray("fields");
                update.fields().propertyNames().forEach(fields::add);
            }
            list.add(entry);
        }
        context.shell().out().println(JsonTree.write(result.put("applied", !isDryRun)));
    }
}
