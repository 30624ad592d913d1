package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.Column;
import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.List;

/// The `sluice dlq summary` command, which counts a source's dead letters by connection.
@Command(name = "summary", description = "Count the dead letters of a source by connection.")
final class DeadLetterSummaryCommand implements Runnable {

    private static final List<Column> COLUMNS =
            List.of(
                    new Column("connection", "connection_id"),
                    new Column("destination", "destination_name"),
                    Column.of("exhausted"),
                    Column.of("failed"));

    private final CommandContext context;

    @Parameters(paramLabel = "SOURCE", description = "The source's id or name.")
    private @SuppressWarnings("NullAway.Init") String source;

    @Mixin private final ResolvedOption resolved = new ResolvedOption();

    DeadLetterSummaryCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            String id = new NameLookup(client).sourceId(source);
            String path = resolved.addTo(new QueryString()).after("sources/" + id + "/dlq/summary");
            new ResultPrinter(context).list(client.get(path), "connection_id", COLUMNS);
        }
    }
}
