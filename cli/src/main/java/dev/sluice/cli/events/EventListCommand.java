package dev.sluice.cli.events;

import dev.sluice.cli.api.Column;
import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.PageOptions;
import dev.sluice.cli.api.ReceivedOptions;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.shell.CommandContext;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// The `sluice events list` command, which lists stored events, newest first.
@Command(name = "list", description = "List events, the newest first.")
final class EventListCommand implements Runnable {

    private static final List<Column> COLUMNS =
            List.of(
                    Column.of("id"),
                    Column.of("received_at"),
                    Column.of("method"),
                    Column.of("content_type"),
                    new Column("bytes", "body_size"),
                    new Column("verification", "verification_status"),
                    new Column("delivered", "delivered_count"),
                    new Column("failed", "failed_count"),
                    new Column("pending", "pending_count"));

    private final CommandContext context;
    private final InstantSource clock;

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "Only events of this source, by id or name.")
    private @Nullable String source;

    @Option(
            names = "--verification",
            paramLabel = "STATUS",
            description = "verified, failed or skipped.")
    private @Nullable String verification;

    @Option(
            names = {"-q", "--query"},
            paramLabel = "TEXT",
            description = "Only events with this text in their id.")
    private @Nullable String query;

    @Mixin private final ReceivedOptions received = new ReceivedOptions();

    @Mixin private final PageOptions pages = new PageOptions();

    EventListCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var parameters =
                    new QueryString()
                            .with(
                                    "source_id",
                                    Optional.ofNullable(source)
                                            .map(new NameLookup(client)::sourceId))
                            .with("verification_status", Optional.ofNullable(verification))
                            .with("q", Optional.ofNullable(query));
            var answer = client.get(pages.addTo(received.addTo(parameters, clock)).after("events"));
            new ResultPrinter(context).list(answer, COLUMNS, pages);
        }
    }
}
