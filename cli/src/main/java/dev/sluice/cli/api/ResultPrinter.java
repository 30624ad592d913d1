package dev.sluice.cli.api;

import dev.sluice.cli.server.ServerAnswer;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.SafeText;
import dev.sluice.cli.shell.TextTable;

import tools.jackson.databind.JsonNode;

import java.util.List;

/// Prints the API's results in the chosen output format: tables or records for `pretty`, the
/// server's unchanged response for `json`, and only ids for `quiet`.
public final class ResultPrinter {

    private final CommandContext context;

    public ResultPrinter(CommandContext context) {
        this.context = context;
    }

    /// Prints the items in a list.
    ///
    /// @param pages the options with which the list was requested
    public void list(ServerAnswer answer, List<Column> columns, PageOptions pages) {
        list(answer, "id", columns, pages);
    }

    /// Prints a list whose items have no id.
    ///
    /// @param id the field that `quiet` prints instead of an id
    public void list(ServerAnswer answer, String id, List<Column> columns) {
        list(answer, id, columns, new PageOptions());
    }

    private void list(ServerAnswer answer, String id, List<Column> columns, PageOptions pages) {
        context.print(
                answer.body(),
                () -> {
                    var items = answer.json().path("items");
                    if (isQuiet()) {
                        items.valueStream().forEach(item -> printId(item, id));
                        return;
                    }
                    var table = new TextTable(columns.stream().map(Column::title).toList());
                    items.valueStream()
                            .forEach(item ->
                                    table.add(
                                            columns.stream()
                                                    .map(column -> column.text(item))
                                                    .toList()));
                    table.print(context.shell().out());
                    noteRest(answer.json(), items.size(), pages);
                });
    }

    private void noteRest(JsonNode list, int shown, PageOptions pages) {
        long total = list.path("total").asLong(shown);
        if (shown > 0 && total > pages.itemsBefore() + shown) {
            boolean isExact = list.path("total_is_exact").asBoolean(true);
            context.shell()
                    .note(
                            "Page %d: %d of %s%d. `--page %d` shows the next."
                                    .formatted(
                                            pages.page(),
                                            shown,
                                            isExact ? "" : "at least ",
                                            total,
                                            pages.page() + 1));
        }
    }

    /// Prints all fields of a record, each on its own line.
    public void fields(ServerAnswer answer) {
        context.print(
                answer.body(),
                () -> {
                    var node = answer.json();
                    if (isQuiet()) {
                        printId(node, "id");
                    } else {
                        lines(node, List.copyOf(node.propertyNames()));
                    }
                });
    }

    /// Prints some fields of a record, each on its own line.
    ///
    /// @param names the paths of the fields, as in [Column]
    public void lines(JsonNode node, List<String> names) {
        int width = names.stream().mapToInt(String::length).max().orElse(0);
        for (String name : names) {
            String value = SafeText.line(Column.of(name).text(node));
            context.shell().out().println(name + " ".repeat(width - name.length() + 2) + value);
        }
    }

    /// Prints a sentence. With `json`, prints the server's response instead; with `quiet`, prints
    /// nothing.
    public void sentence(ServerAnswer answer, String sentence) {
        context.print(answer.body(), () -> sentence(sentence));
    }

    /// Prints a sentence, unless the output format is `quiet`.
    public void sentence(String sentence) {
        if (!isQuiet()) {
            context.shell().out().println(SafeText.line(sentence));
        }
    }

    public boolean isQuiet() {
        return context.output() == OutputFormat.QUIET;
    }

    private void printId(JsonNode item, String field) {
        context.shell().out().println(SafeText.line(item.path(field).asString("")));
    }
}
