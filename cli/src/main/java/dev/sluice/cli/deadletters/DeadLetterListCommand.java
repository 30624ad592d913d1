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

/// The command `sluice dlq list`: lists dead letters.
@Command(name = "list", description = "List dead letters, the newest first.")
final class DeadLetterListCommand implements Runnable {

    private static final List<Column> COLUMNS =
            List.of(
                    Column.of("id"),
                    Column.of("event_id"),
                    new Column("destination", "destination_name"),
                    Column.of("status"),
                    new Column("attempts", "attempt_count"),
                    new Column("latest", "latest_status"),
                    Column.of("finished_at"),
                    new Column("last error", "last_error"));

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final DeadLetterOptions options = new DeadLetterOptions();

    @Mixin private final ResolvedOption resolved = new ResolvedOption();

    @Mixin private final PageOptions pages = new PageOptions();

    DeadLetterListCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var query = pages.addTo(resolved.addTo(options.query(new NameLookup(client), clock)));
            new ResultPrinter(context).list(client.get(query.after("dlq")), COLUMNS, pages.page());
        }
    }
}
