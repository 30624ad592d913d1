package dev.sluice.cli.declare;

import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;

import picocli.CommandLine.Command;

/// The command `sluice export`: prints a workspace as a file for `sluice apply`.
@Command(
        name = "export",
        description =
                "Print the workspace's sources, destinations and connections as a file for"
                        + " `apply`.")
public final class ExportCommand implements Runnable {

    private final CommandContext context;

    public ExportCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var export = GatewayExport.of(ExistingGateway.read(client));
            var out = context.shell().out();
            if (context.output() == OutputFormat.JSON) {
                out.println(JsonTree.write(export.file()));
                return;
            }
            if (!export.variables().isEmpty()) {
                out.println("# `sluice apply` reads these secrets from the environment:");
                export.variables().forEach(variable -> out.println("#   " + variable));
            }
            out.print(GatewayFile.write(export.file()));
        }
    }
}
