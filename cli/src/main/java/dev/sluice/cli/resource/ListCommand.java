package dev.sluice.cli.resource;

import dev.sluice.cli.api.PageOptions;
import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.shell.CommandContext;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Optional;

/// The `list` command for one resource type, such as `sluice sources list`. It is also used for the
/// `sluice sources trash` command.
@Command(name = "list", description = "List them as a table.")
final class ListCommand implements Runnable {

    private final ResourceType type;
    private final String path;
    private final CommandContext context;

    @Mixin private final PageOptions pages = new PageOptions();

    @Option(
            names = {"-q", "--query"},
            paramLabel = "TEXT",
            description = "Only those with this text in their name or address.")
    private @Nullable String query;

    /// @param path the list's path relative to `/api/v1/`, such as `sources/trash`
    ListCommand(ResourceType type, String path, CommandContext context) {
        this.type = type;
        this.path = path;
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var parameters = pages.addTo(new QueryString()).with("q", Optional.ofNullable(query));
            new ResultPrinter(context)
                    .list(client.get(parameters.after(path)), type.columns(), pages);
        }
    }
}
