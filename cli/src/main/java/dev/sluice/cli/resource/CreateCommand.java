package dev.sluice.cli.resource;

import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// The `create` command for one resource type, such as `sluice sources create`.
@Command(name = "create")
final class CreateCommand implements Runnable {

    private final ResourceType type;
    private final CommandContext context;

    @Mixin private final BodyOptions body = new BodyOptions();

    CreateCommand(ResourceType type, CommandContext context) {
        this.type = type;
        this.context = context;
    }

    @Override
    public void run() {
        var fields = body.read(context.shell(), 0, type.example());
        try (var client = ServerAccess.resolve(context).client()) {
            new ResultPrinter(context).fields(client.send("POST", type.path(), fields));
        }
    }
}
