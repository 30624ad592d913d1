package dev.sluice.cli.deadletters;

import dev.sluice.cli.server.QueryString;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.Optional;

/// The option that narrows a list to resolved dead letters (resent successfully, or dismissed) or
/// to unresolved ones.
final class ResolvedOption {

    @Option(
            names = "--resolved",
            arity = "1",
            paramLabel = "BOOL",
            description =
                    "true: only those that a resend delivered, or that were dismissed; false: only"
                            + " the others.")
    private @Nullable Boolean resolved;

    QueryString addTo(QueryString query) {
        return query.with("resolved", Optional.ofNullable(resolved).map(String::valueOf));
    }
}
