package dev.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The command line tool `sluice`: the entry point and the list of its commands.
@Command(
        name = "sluice",
        description = "A self-hosted webhook relay.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        subcommands = {ServeCommand.class, VersionCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class SluiceCommand {

    public static void main(String[] args) {
        System.exit(commandLine().execute(args.length == 0 ? new String[] {"--help"} : args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new SluiceCommand());
    }
}
