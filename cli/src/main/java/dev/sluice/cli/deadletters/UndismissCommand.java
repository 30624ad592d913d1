package dev.sluice.cli.deadletters;

import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;

/// The command `sluice dlq undismiss`: lists dismissed dead letters as unresolved again.
@Command(
        name = "undismiss",
        description = "List the dismissed dead letters that match as unresolved again.")
final class UndismissCommand implements Runnable {

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final DeadLetterOptions filter = new DeadLetterOptions();

    @Option(names = "--all", description = "All of the workspace, if there is no filter.")
    private boolean isAll;

    UndismissCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        new DismissalRequest(context, "undismiss", "undismissed")
                .send(names -> filter.body(names, clock, "undismiss", isAll));
    }
}
