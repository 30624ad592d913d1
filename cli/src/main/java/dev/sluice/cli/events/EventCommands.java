package dev.sluice.cli.events;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandGroup;

import picocli.CommandLine;

import java.time.InstantSource;
import java.util.Map;

/// Adds the `sluice events` command group, which lists, shows and resends events.
public final class EventCommands {

    private EventCommands() {}

    public static void addTo(CommandLine root, CommandContext context, InstantSource clock) {
        CommandGroup.add(
                root,
                "events",
                "List, show and resend events.",
                Map.of(
                        "list", new EventListCommand(context, clock),
                        "get", new EventGetCommand(context),
                        "resend", new EventResendCommand(context)));
    }
}
