package dev.sluice.cli.declare;

import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The `sluice export` command, which prints a workspace as a file for `sluice apply`.
@Command(
        name = "export",
        description =
                "Print the workspace's sources, destinations and connections as a file for"
                        + " `apply`.")
public final class ExportCommand implements Runnable {

    private final CommandContext context;

    @Option(
            names = "--tokens",
            description =
                    "Include the tokens of the sources, so that another server gets the same ingest"
                            + " URLs. Whoever reads the file can then send events.")
    private boolean hasTokens;

    public ExportCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var export = GatewayExport.of(ExistingGateway.read(client), hasTokens);
            var out = context.shell().out();
            if (context.output() == OutputFormat.JSON) {
                out.println(JsonTree.write(export.file()));
                return;
            }
            out.println(
                    hasTokens
                            ? "# Keep this file secret: with its tokens, anybody can send events."
                            : "# Tokens are left out, so another server gives the sources new"
                                    + " ingest URLs; `sluice export --tokens` keeps them.");
            if (!export.variables().isEmpty()) {
                out.println("# `sluice apply` reads these secrets from the environment:");
                export.variables().forEach(variable -> out.println("#   " + variable));
            }
            out.print(GatewayFile.write(export.file()));
        }
    }
}
