package dev.sluice.cli.shell;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.util.Map;
import java.util.TreeMap;

/// Adds a command such as `sources`, which only groups other commands.
public final class CommandGroup {

    private CommandGroup() {}

    /// @param commands the group's commands, by name
    public static void add(
            CommandLine root, String name, String description, Map<String, Object> commands) {
        var spec = CommandSpec.create().name(name);
        spec.usageMessage().description(description).synopsisSubcommandLabel("COMMAND");
        var group = new CommandLine(spec);
        new TreeMap<>(commands).forEach(group::addSubcommand);
        root.addSubcommand(name, group);
    }

    /// Returns a command line for the command, with the given description. Use this for command
    /// classes whose description differs from instance to instance.
    public static CommandLine described(Object command, String description) {
        var line = new CommandLine(command);
        line.getCommandSpec().usageMessage().description(description);
        return line;
    }
}
