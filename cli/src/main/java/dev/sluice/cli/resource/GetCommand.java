package dev.sluice.cli.resource;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// The `get` command for one resource type, such as `sluice sources get`. It shows one resource
/// with all its fields.
@Command(name = "get", description = "Show one with all its fields.")
final class GetCommand implements Runnable {

    private final ResourceType type;
    private final CommandContext context;

    @Parameters(paramLabel = "ID", description = "The id, or the exact name.")
    private @SuppressWarnings("NullAway.Init") String id;

    GetCommand(ResourceType type, CommandContext context) {
        this.type = type;
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            String path = type.path() + "/" + new NameLookup(client).id(type, id);
            new ResultPrinter(context).fields(client.get(path));
        }
    }
}
