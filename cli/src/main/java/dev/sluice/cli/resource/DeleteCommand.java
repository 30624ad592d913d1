package dev.sluice.cli.resource;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// The `delete` command for one resource type, such as `sluice sources delete`.
@Command(name = "delete")
final class DeleteCommand implements Runnable {

    private final ResourceType type;
    private final CommandContext context;

    @Parameters(paramLabel = "ID", description = "The id, or the exact name.")
    private @SuppressWarnings("NullAway.Init") String id;

    DeleteCommand(ResourceType type, CommandContext context) {
        this.type = type;
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            String found = new NameLookup(client).id(type, id);
            client.delete(type.path() + "/" + found);
            context.shell()
                    .note(
                            "Deleted %s %s.%s"
                                    .formatted(
                                            type.word(),
                                            found,
                                            type.equals(ResourceType.SOURCE)
                                                    ? " `sluice sources restore "
                                                            + found
                                                            + "` brings it back."
                                                    : ""));
        }
    }
}
