package dev.sluice.cli.deadletters;

import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;

/// The command `sluice dlq dismiss`: marks dead letters as resolved.
@Command(
        name = "dismiss",
        description = "Mark the unresolved dead letters that match as resolved, without a resend.")
final class DismissCommand implements Runnable {

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final DeadLetterOptions filter = new DeadLetterOptions();

    @Option(names = "--all", description = "All of the workspace, if there is no filter.")
    private boolean isAll;

    DismissCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        new DismissalRequest(context, "dismiss", "dismissed")
                .send(names -> filter.body(names, clock, "dismiss", isAll));
    }
}
