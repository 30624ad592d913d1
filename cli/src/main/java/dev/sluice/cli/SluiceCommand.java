package dev.sluice.cli;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.Shell;

import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.time.InstantSource;

/// The entry point of the `sluice` command line tool. The options that all commands share are in
/// [CommandContext].
///
/// The script `bin/sluice` starts this program, or the server's jar for commands such as `serve`.
@Command(
        name = "sluice",
        description = "Calls a Sluice server, and forwards its webhooks to this machine.",
        synopsisSubcommandLabel = "COMMAND")
public final class SluiceCommand {

    private SluiceCommand() {}

    public static void main(String[] args) {
        int status = run(Shell.ofProcess(), InstantSource.system(), args);
        System.out.flush();
        System.exit(status);
    }

    static int run(Shell shell, InstantSource clock, String... args) {
        return commandLine(shell, clock).execute(args.length == 0 ? new String[] {"--help"} : args);
    }

    static CommandLine commandLine(Shell shell, InstantSource clock) {
        var context = new CommandContext(shell);
        var command = new CommandLine(new SluiceCommand()).addMixin("options", context);
        // An argument that begins with @ names a data file. By default, picocli would read more
        // arguments from that file.
        command.setExpandAtFiles(false);
        CommandTree.addTo(command, context, clock);
        return ErrorPrinter.on(command, context);
    }
}
