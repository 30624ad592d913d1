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

/// The environment that a command runs in: its variables, folders and standard streams, and whether
/// it runs on a terminal.
///
/// @param home the user's home folder
/// @param isTerminal whether input and output are connected to a terminal
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

    /// Returns the environment of this process. Its output streams use UTF-8 in every locale
    /// because JSON is UTF-8.
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

    /// Returns the value of an environment variable. An empty value counts as not set.
    public Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }

    /// Returns whether to print in colour.
    public boolean hasColours() {
        return isTerminal
                && variable("NO_COLOR").isEmpty()
                && !"dumb".equals(variable("TERM").orElse(""));
    }

    /// Returns the folder for configuration, following the XDG Base Directory Specification. A
    /// relative path in `XDG_CONFIG_HOME` is ignored.
    public Path configDirectory() {
        return folder("XDG_CONFIG_HOME", ".config");
    }

    /// Returns the folder for state that is kept between runs, following the XDG Base Directory
    /// Specification. A relative path in `XDG_STATE_HOME` is ignored.
    public Path stateDirectory() {
        return folder("XDG_STATE_HOME", ".local/state");
    }

    private Path folder(String variable, String fallback) {
        return folderVariable(variable).orElseGet(() -> home.resolve(fallback)).resolve("sluice");
    }

    /// Returns the path in an environment variable, or empty if the variable is not set or the path
    /// is relative.
    public Optional<Path> folderVariable(String variable) {
        return variable(variable).map(Path::of).filter(Path::isAbsolute);
    }

    /// Reads all of standard input.
    public byte[] readInput() {
        try {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Prints a line for the user on standard error, separate from the command's result.
    public void note(String line) {
        err.println(SafeText.line(line));
    }
}
