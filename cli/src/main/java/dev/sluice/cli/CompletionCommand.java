package dev.sluice.cli;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.Set;

/// The `sluice completion SHELL` command, which prints a script that completes `sluice` commands in
/// that shell.
@Command(
        name = "completion",
        description = {
            "Print a script that completes commands in bash or zsh.",
            "In ~/.bashrc or ~/.zshrc: source <(sluice completion bash)"
        })
final class CompletionCommand implements Runnable {

    private static final Set<String> SHELLS = Set.of("bash", "zsh");

    private final CommandContext context;

    @Spec
    private @SuppressWarnings("NullAway.Init") CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh; both use the same script.")
    private @SuppressWarnings("NullAway.Init") String name;

    CompletionCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        if (!SHELLS.contains(name)) {
            throw CommandException.usage(
                    "There is no completion for '" + name + "'.", "There is one for bash and zsh.");
        }
        context.shell().out().print(AutoComplete.bash("sluice", spec.root().commandLine()));
    }
}
