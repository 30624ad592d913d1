package dev.sluice.cli.stats;

import dev.sluice.cli.api.Column;
import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ReceivedOptions;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerAnswer;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// The `sluice stats` command: shows how many events arrived, how their deliveries ended, and how
/// long attempts took.
@Command(
        name = "stats",
        description = {
            "Count events and deliveries of the last 24 hours, or of another time range.",
            "The server counts whole hours, days or months; the overview says which."
        })
public final class StatsCommand implements Runnable {

    private static final List<Column> SOURCE_COLUMNS =
            List.of(
                    new Column("source", "source_name"),
                    Column.of("events"),
                    Column.of("unverified"),
                    Column.of("succeeded"),
                    Column.of("failed"),
                    Column.of("exhausted"),
                    Column.of("pending"),
                    Column.of("filtered"),
                    new Column("success rate", "success_rate"),
                    new Column("p95 ms", "latency_ms.p95"));
    private static final List<Column> DESTINATION_COLUMNS =
            List.of(
                    new Column("destination", "destination_name"),
                    Column.of("deleted"),
                    Column.of("succeeded"),
                    Column.of("failed"),
                    Column.of("exhausted"),
                    Column.of("pending"),
                    Column.of("filtered"),
                    new Column("success rate", "success_rate"),
                    new Column("p95 ms", "latency_ms.p95"),
                    new Column("waiting", "waiting.count"));

    private final CommandContext context;
    private final InstantSource clock;

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description = "source or destination: a line for each instead of the totals.")
    private String by = "";

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "Only this source, by id or name; repeatable.")
    private List<String> sources = List.of();

    @Option(
            names = "--destination",
            paramLabel = "DESTINATION",
            description = "Only this destination, by id or name; repeatable. Not with --by source.")
    private List<String> destinations = List.of();

    @Mixin private final ReceivedOptions received = new ReceivedOptions();

    public StatsCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        check();
        try (var client = ServerAccess.resolve(context).client()) {
            var printer = new ResultPrinter(context);
            switch (by) {
                case "source" ->
                        printer.list(get(client, "by-source"), "source_id", SOURCE_COLUMNS);
                case "destination" ->
                        printer.list(
                                get(client, "by-destination"),
                                "destination_id",
                                DESTINATION_COLUMNS);
                default -> new OverviewPrinter(context).print(get(client, "overview"));
            }
        }
    }

    private void check() {
        if (!List.of("", "source", "destination").contains(by)) {
            throw CommandException.usage(
                    "Counts by '" + by + "' do not exist.",
                    "Give --by source or --by destination.");
        }
        if (by.equals("source") && !destinations.isEmpty()) {
            throw CommandException.usage(
                    "--by source and --destination cannot be combined.",
                    "Give --by destination, or leave out --by.");
        }
    }

    private ServerAnswer get(ServerClient client, String counts) {
        var lookup = new NameLookup(client);
        var query =
                new QueryString()
                        .with("source_ids", ids(sources, lookup::sourceId))
                        .with("destination_ids", ids(destinations, lookup::destinationId));
        return client.get(received.addTo(query, clock).after("stats/" + counts));
    }

    private static Optional<String> ids(List<String> given, UnaryOperator<String> lookup) {
        return given.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(",", given.stream().map(lookup).toList()));
    }
}
