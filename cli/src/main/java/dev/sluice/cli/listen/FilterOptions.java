package dev.sluice.cli.listen;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.api.FileArgument;
import dev.sluice.cli.shell.Shell;
import dev.sluice.cli.stream.FilterExpression;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;

/// The options that filter a stream. The server applies the filter, so it works exactly like a
/// connection's filter.
final class FilterOptions {

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = {
                "Only events that match: 'body.type eq order.created', or filter_rules as JSON;"
                        + " @FILE reads either from a file.",
                "Repeatable; all filters must match."
            })
    private List<String> filters = List.of();

    @Option(
            names = "--connection",
            paramLabel = "ID",
            description =
                    "Events as this connection would send them: after its filter and its"
                            + " transformation.")
    private @Nullable String connection;

    /// @return the filter as JSON in the format of `filter_rules`
    /// @throws dev.sluice.cli.shell.CommandException if an option is invalid
    Optional<JsonNode> filter(Shell shell) {
        return FilterExpression.parse(
                filters.stream()
                        .map(given -> new String(FileArgument.readData(given, shell), UTF_8))
                        .toList());
    }

    Optional<String> connection() {
        return Optional.ofNullable(connection);
    }
}
