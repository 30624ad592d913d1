package dev.sluice.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// What a command sees of its process: variables, folders, streams, and whether a person watches.
///
/// @param home the user's home folder
/// @param isTerminal whether input and output are a terminal
public record Shell(
        Map<String, String> environment,
        Path home,
        InputStream in,
        PrintStream out,
        PrintStream err,
        boolean isTerminal) {

    public Shell {
        environment = Map.copyOf(environment);
    }

    /// This process. It prints UTF-8 whatever the locale says, because JSON is UTF-8.
    public static Shell ofProcess() {
        var console = System.console();
        return new Shell(
                System.getenv(),
                Path.of(System.getProperty("user.home", "")),
                new FileInputStream(FileDescriptor.in),
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8),
                console != null && console.isTerminal());
    }

    /// The value of an environment variable; an empty one counts as not set.
    public Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }

    /// Whether output may have colours.
    public boolean hasColours() {
        return isTerminal
                && variable("NO_COLOR").isEmpty()
                && !"dumb".equals(variable("TERM").orElse(""));
    }

    /// The folder for configuration, by the XDG Base Directory Specification: a relative path in
    /// the variable is ignored.
    public Path configDirectory() {
        return folder("XDG_CONFIG_HOME", ".config");
    }

    /// The folder for state that outlives a run, by the same specification.
    public Path stateDirectory() {
        return folder("XDG_STATE_HOME", ".local/state");
    }

    private Path folder(String variable, String fallback) {
        return variable(variable)
                .map(Path::of)
                .filter(Path::isAbsolute)
                .orElseGet(() -> home.resolve(fallback))
                .resolve("sluice");
    }

    /// Reads standard input to its end.
    public byte[] readInput() {
        try {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Prints a line for people, beside the command's result.
    public void note(String line) {
        err.println(SafeText.line(line));
    }
}
