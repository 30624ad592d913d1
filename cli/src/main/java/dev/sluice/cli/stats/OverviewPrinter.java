package dev.sluice.cli.stats;

import dev.sluice.cli.api.Column;
import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.server.ServerAnswer;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.TextTable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/// Prints the counts for a time window: the totals, and a table with a row for each time bucket.
final class OverviewPrinter {

    private static final List<String> LINES =
            List.of(
                    "window.after",
                    "window.before",
                    "bucket",
                    "events",
                    "verified",
                    "unverified",
                    "skipped",
                    "deliveries",
                    "succeeded",
                    "failed",
                    "exhausted",
                    "pending",
                    "filtered",
                    "success_rate",
                    "latency_ms.p50",
                    "latency_ms.p95",
                    "latency_ms.p99",
                    "refused.402",
                    "refused.413",
                    "refused.429",
                    "refused.5xx",
                    "waiting.count",
                    "waiting.oldest_received_at");
    private static final List<Column> BUCKET_COLUMNS =
            ResourceType.columns(
                    "start",
                    "events",
                    "succeeded",
                    "failed",
                    "exhausted",
                    "pending",
                    "filtered",
                    "success_rate");

    private final CommandContext context;

    OverviewPrinter(CommandContext context) {
        this.context = context;
    }

    void print(ServerAnswer answer) {
        var printer = new ResultPrinter(context);
        context.print(
                answer.body(),
                () -> {
                    if (!printer.isQuiet()) {
                        printer.lines(record(answer.json()), LINES);
                        context.shell().out().println();
                        table(answer.json().path("histogram")).print(context.shell().out());
                    }
                });
    }

    /// Returns one object that combines the totals with the fields `window`, `bucket` and
    /// `waiting`.
    private static ObjectNode record(JsonNode overview) {
        var record =
                overview.path("totals") instanceof ObjectNode totals
                        ? totals.deepCopy()
                        : JsonTree.object();
        for (String field : List.of("window", "bucket", "waiting")) {
            record.set(field, overview.path(field));
        }
        return record;
    }

    private static TextTable table(JsonNode histogram) {
        var table = new TextTable(BUCKET_COLUMNS.stream().map(Column::title).toList());
        histogram
                .valueStream()
                .forEach(bucket ->
                        table.add(
                                BUCKET_COLUMNS.stream()
                                        .map(column -> column.text(bucket))
                                        .toList()));
        return table;
    }
}
