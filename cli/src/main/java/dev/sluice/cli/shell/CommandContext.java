package dev.sluice.cli.shell;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

import java.util.Optional;

/// One run of the command line tool: its process, and the options that every command takes.
public final class CommandContext {

    private final Shell shell;

    @Option(
            names = "--server",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "The server's address; SLUICE_SERVER and the profile say it otherwise.")
    private @Nullable String server;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "The profile to use; SLUICE_PROFILE says it otherwise.")
    private @Nullable String profile;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            scope = ScopeType.INHERIT,
            converter = OutputFormat.Converter.class,
            description = "pretty (default), json, or quiet; SLUICE_OUTPUT says it otherwise.")
    private @Nullable OutputFormat output;

    public CommandContext(Shell shell) {
        this.shell = shell;
    }

    public Shell shell() {
        return shell;
    }

    public Optional<String> server() {
        return Optional.ofNullable(server);
    }

    public Optional<String> profile() {
        return Optional.ofNullable(profile);
    }

    public boolean isOutputOption() {
        return output != null;
    }

    /// @throws CommandException if `SLUICE_OUTPUT` names no format
    public OutputFormat output() {
        if (output != null) {
            return output;
        }
        try {
            return shell.variable("SLUICE_OUTPUT")
                    .map(OutputFormat::parse)
                    .orElse(OutputFormat.PRETTY);
        } catch (IllegalArgumentException e) {
            throw CommandException.usage("SLUICE_OUTPUT: " + e.getMessage() + ".", "");
        }
    }

    /// Prints a result: the answer's own bytes for `json`, otherwise what `pretty` prints.
    public void print(byte[] json, Runnable pretty) {
        if (output() == OutputFormat.JSON) {
            shell.out().write(json, 0, json.length);
            shell.out().println();
            shell.out().flush();
        } else {
            pretty.run();
        }
    }
}
