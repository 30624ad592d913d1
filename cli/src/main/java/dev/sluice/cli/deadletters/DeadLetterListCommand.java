package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.Column;
import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.PageOptions;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandGroup;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.time.InstantSource;
import java.util.List;

/// The `sluice dlq list` and `sluice dlq groups` commands, which list dead letters one by one or
/// grouped by destination and error.
@Command
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

    private static final List<Column> GROUP_COLUMNS =
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
    private final String path;
    private final List<Column> columns;

    @Mixin private final DeadLetterOptions options = new DeadLetterOptions();

    @Mixin private final ResolvedOption resolved = new ResolvedOption();

    @Mixin private final PageOptions pages = new PageOptions();

    /// @param path the list's path relative to `/api/v1/`, such as `dlq`
    private DeadLetterListCommand(
            CommandContext context, InstantSource clock, String path, List<Column> columns) {
        this.context = context;
        this.clock = clock;
        this.path = path;
        this.columns = columns;
    }

    static CommandLine single(CommandContext context, InstantSource clock) {
        return CommandGroup.described(
                new DeadLetterListCommand(context, clock, "dlq", COLUMNS),
                "List dead letters, the newest first.");
    }

    static CommandLine groups(CommandContext context, InstantSource clock) {
        return CommandGroup.described(
                new DeadLetterListCommand(context, clock, "dlq/groups", GROUP_COLUMNS),
                "Group dead letters by destination and error.");
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var query = pages.addTo(resolved.addTo(options.query(new NameLookup(client), clock)));
            new ResultPrinter(context).list(client.get(query.after(path)), columns, pages);
        }
    }
}
