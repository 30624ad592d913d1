package dev.sluice.cli.deadletters;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandGroup;

import picocli.CommandLine;

import java.time.InstantSource;
import java.util.Map;

/// Adds the `sluice dlq` command group, which lists, counts, resends and dismisses dead letters.
public final class DeadLetterCommands {

    private DeadLetterCommands() {}

    public static void addTo(CommandLine root, CommandContext context, InstantSource clock) {
        CommandGroup.add(
                root,
                "dlq",
                "List, count, resend and dismiss dead letters.",
                Map.of(
                        "list", DeadLetterListCommand.single(context, clock),
                        "groups", DeadLetterListCommand.groups(context, clock),
                        "summary", new DeadLetterSummaryCommand(context),
                        "resend", new DeadLetterResendCommand(context, clock),
                        "dismiss", DismissalCommand.dismiss(context, clock),
                        "undismiss", DismissalCommand.undismiss(context, clock)));
    }
}
