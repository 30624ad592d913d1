package dev.sluice.cli.resource;

import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.api.UrlPath;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// The `sluice sources restore` command, which takes a source out of the trash.
@Command(name = "restore", description = "Take a source out of the trash.")
final class RestoreCommand implements Runnable {

    private final CommandContext context;

    @Parameters(
            paramLabel = "ID",
            description = "The source's id, as `sluice sources trash` shows it.")
    private @SuppressWarnings("NullAway.Init") String id;

    RestoreCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            String path = "sources/" + UrlPath.segment(id) + "/restore";
            new ResultPrinter(context).fields(client.send("POST", path, JsonTree.object()));
        }
    }
}
