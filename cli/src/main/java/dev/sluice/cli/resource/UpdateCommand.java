package dev.sluice.cli.resource;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// The `update` command for one resource type, such as `sluice sources update`. It changes the
/// given fields and leaves the others as they are.
@Command(name = "update")
final class UpdateCommand implements Runnable {

    private final ResourceType type;
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "ID", description = "The id, or the exact name.")
    private @SuppressWarnings("NullAway.Init") String id;

    @Mixin private final BodyOptions body = new BodyOptions();

    UpdateCommand(ResourceType type, CommandContext context) {
        this.type = type;
        this.context = context;
    }

    @Override
    public void run() {
        var fields = body.read(context.shell(), 1, type.exampleOfChange());
        try (var client = ServerAccess.resolve(context).client()) {
            String path = type.path() + "/" + new NameLookup(client).id(type, id);
            new ResultPrinter(context).fields(client.send("PATCH", path, fields));
        }
    }
}
