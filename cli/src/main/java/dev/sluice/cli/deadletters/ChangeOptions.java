package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.shell.CommandException;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ObjectNode;

import java.time.InstantSource;

/// The options that select which dead letters a command changes: those that match a filter, or all
/// of them.
final class ChangeOptions {

    @Mixin private final DeadLetterOptions filter = new DeadLetterOptions();

    @Option(names = "--all", description = "All of the workspace, if there is no filter.")
    private boolean isAll;

    /// Returns the filter as the body of a request that changes all matching dead letters.
    ///
    /// @param verb the name of the operation, for error messages
    /// @param isHarmless whether the request changes nothing (a dry run) and therefore needs no
    ///   filter
    /// @throws CommandException if a filter is needed but neither a filter nor `--all` is given
    ObjectNode body(NameLookup names, InstantSource clock, String verb, boolean isHarmless) {
        var body = filter.body(names, clock);
        if (body.isEmpty() && !isAll && !isHarmless) {
            throw CommandException.usage(
                    "Without a filter this would " + verb + " all dead letters of the workspace.",
                    "Give a filter such as --destination, or --all.");
        }
        return body;
    }
}
