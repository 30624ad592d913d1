package dev.sluice.cli.show;

import dev.sluice.cli.shell.CommandException;

import picocli.CommandLine.Option;

import java.util.List;
import java.util.Set;

/// The options that choose which parts of an event are printed in addition to its one-line summary.
public final class PrintOptions {

    private static final Set<String> PARTS = Set.of("headers", "body", "response");

    @Option(
            names = "--print",
            paramLabel = "LIST",
            split = ",",
            description =
                    "Print these of each event too: headers, body, response. Bodies are cut after"
                            + " 2 KB.")
    private List<String> parts = List.of();

    @Option(names = "--full", description = "Do not cut the event's body.")
    private boolean isFull;

    @Option(
            names = "--show-secrets",
            description = "Print credentials and signatures in headers too, instead of ***.")
    private boolean hasSecrets;

    /// @throws CommandException if an option names an unknown part
    public PrintedParts parts() {
        for (String part : parts) {
            if (!PARTS.contains(part)) {
                throw CommandException.usage(
                        "--print cannot print '" + part + "'.",
                        "It prints headers, body and response.");
            }
        }
        return new PrintedParts(
                parts.contains("headers"),
                parts.contains("body"),
                parts.contains("response"),
                isFull,
                hasSecrets);
    }
}
