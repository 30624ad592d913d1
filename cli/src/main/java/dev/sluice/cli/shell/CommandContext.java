package dev.sluice.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

import java.util.Optional;

/// One run of the command line tool: its environment, and the options that all commands share.
public final class CommandContext {

    private final Shell shell;

    @Option(
            names = "--server",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "The server's address; by default SLUICE_SERVER or the profile's.")
    private @Nullable String server;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "The profile to use; by default SLUICE_PROFILE or the last one.")
    private @Nullable String profile;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            scope = ScopeType.INHERIT,
            converter = OutputFormat.Converter.class,
            description = "pretty, json or quiet; by default SLUICE_OUTPUT or pretty.")
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

    /// Returns the format that `--output` names, or else the one that `SLUICE_OUTPUT` names, or
    /// else `pretty`.
    ///
    /// @throws CommandException if `--output` is not given and `SLUICE_OUTPUT` is not a valid
    ///   format
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

    /// Prints a result. If the output format is `json`, prints the given JSON, with the characters
    /// that a terminal obeys escaped; otherwise runs `pretty`, which prints the result.
    public void print(byte[] json, Runnable pretty) {
        if (output() == OutputFormat.JSON) {
            shell.out().println(SafeText.json(new String(json, UTF_8)));
            shell.out().flush();
        } else {
            pretty.run();
        }
    }
}
