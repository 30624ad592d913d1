package dev.sluice.cli.profile;

import dev.sluice.cli.shell.CommandContext;

import picocli.CommandLine.Command;

/// The `sluice logout` command, which removes a profile and its key from this machine.
@Command(
        name = "logout",
        description = "Remove a profile and its API key from this machine. The key stays valid.")
public final class LogoutCommand implements Runnable {

    private final CommandContext context;

    public LogoutCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var file = ProfileFile.of(context.shell());
        String name = ServerAccess.profileName(context, file).value();
        boolean existed = file.remove(name);
        context.shell()
                .note(
                        existed
                                ? "Removed profile '" + name + "'."
                                : "There is no profile '" + name + "', so nothing was removed.");
        context.shell()
                .variable("SLUICE_API_KEY")
                .ifPresent(
                        _ -> context.shell().note("SLUICE_API_KEY is still set and still used."));
    }
}
