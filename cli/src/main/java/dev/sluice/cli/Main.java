package dev.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// `sluice`: what it is called as, and its commands.
@Command(
        name = "sluice",
        description = "A self-hosted webhook relay.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {Serve.class, Version.class},
        synopsisSubcommandLabel = "COMMAND")
public final class Main {

    public static void main(String[] args) {
        System.exit(commandLine().execute(args.length == 0 ? new String[] {"--help"} : args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main());
    }
}
