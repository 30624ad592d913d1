package dev.sluice.cli;

import dev.sluice.cli.deadletters.DeadLetterCommands;
import dev.sluice.cli.declare.ApplyCommand;
import dev.sluice.cli.declare.ExportCommand;
import dev.sluice.cli.events.EventCommands;
import dev.sluice.cli.events.TriggerCommand;
import dev.sluice.cli.listen.ListenCommand;
import dev.sluice.cli.listen.ReplayCommand;
import dev.sluice.cli.listen.TailCommand;
import dev.sluice.cli.profile.ConfigCommand;
import dev.sluice.cli.profile.DoctorCommand;
import dev.sluice.cli.profile.LoginCommand;
import dev.sluice.cli.profile.LogoutCommand;
import dev.sluice.cli.profile.StatusCommand;
import dev.sluice.cli.profile.WhoamiCommand;
import dev.sluice.cli.resource.ResourceCommands;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.stats.StatsCommand;

import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;

import java.time.InstantSource;

/// Builds the tree of all commands, in the order in which the help output lists them.
final class CommandTree {

    private CommandTree() {}

    static void addTo(CommandLine root, CommandContext context, InstantSource clock) {
        root.addSubcommand(new LoginCommand(context))
                .addSubcommand(new LogoutCommand(context))
                .addSubcommand(new WhoamiCommand(context))
                .addSubcommand(new DoctorCommand(context, clock))
                .addSubcommand(new StatusCommand(context))
                .addSubcommand(new ConfigCommand(context));
        root.addSubcommand(new ListenCommand(context, clock))
                .addSubcommand(new TailCommand(context, clock))
                .addSubcommand(new ReplayCommand(context))
                .addSubcommand(new TriggerCommand(context));
        ResourceCommands.addTo(root, context);
        EventCommands.addTo(root, context, clock);
        DeadLetterCommands.addTo(root, context, clock);
        root.addSubcommand(new StatsCommand(context, clock));
        root.addSubcommand(new ApplyCommand(context)).addSubcommand(new ExportCommand(context));
        root.addSubcommand(new CompletionCommand(context))
                .addSubcommand(new VersionCommand(context))
                .addSubcommand(new HelpCommand());
        addHelpOption(root);
    }

    /// Adds `-h` and `--help` to the command and, recursively, to all its subcommands except
    /// `help`.
    private static void addHelpOption(CommandLine command) {
        command.getCommandSpec()
                .addOption(
                        CommandLine.Model.OptionSpec.builder("-h", "--help")
                                .usageHelp(true)
                                .description("Show this help.")
                                .build());
        command.getSubcommands().values().stream()
                .filter(child -> !(child.getCommand() instanceof HelpCommand))
                .forEach(CommandTree::addHelpOption);
    }
}
