package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.Column;
import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.PageOptions;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.time.InstantSource;
import java.util.List;

/// The command `sluice dlq groups`: groups dead letters by destination and error.
@Command(name = "groups", description = "Group dead letters by destination and error.")
final class FailureGroupsCommand implements Runnable {

    private static final List<Column> COLUMNS =
            List.of(
                    Column.of("count"),
                    new Column("destination", "destination_name"),
                    new Column("error", "error_code"),
                    new Column("answer", "response_status"),
                    Column.of("first_seen"),
                    Column.of("last_seen"),
                    new Column("example", "example_event_id"));

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final DeadLetterOptions options = new DeadLetterOptions();

    @Mixin private final ResolvedOption resolved = new ResolvedOption();

    @Mixin private final PageOptions pages = new PageOptions();

    FailureGroupsCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var query = pages.addTo(resolved.addTo(options.query(new NameLookup(client), clock)));
            new ResultPrinter(context)
                    .list(client.get(query.after("dlq/groups")), COLUMNS, pages.page());
        }
    }
}
