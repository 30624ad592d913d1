package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Runs programs that are installed on this machine, and sends signals to processes.
public final class SystemCommands {

    /// @param output standard output and standard error combined
    public record CommandOutput(int exitStatus, String output) {

        public boolean isSuccess() {
            return exitStatus == 0;
        }
    }

    private SystemCommands() {}

    public static boolean isRoot() {
        return unchecked(() -> Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0));
    }

    /// Whether a folder in `PATH` contains an executable file with this name.
    public static boolean isInstalled(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /// Runs the command and waits until it ends. The exit status is -1 if it could not be started.
    public static CommandOutput run(String... command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new CommandOutput(process.waitFor(), output);
        } catch (IOException e) {
            return new CommandOutput(-1, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a tool", e);
        }
    }

    /// Starts the command in a new session, so that Ctrl-C in this process does not reach it.
    ///
    /// @param output the file to which the command's output is appended
    /// @param environment variables to add to the environment that the command inherits
    public static Process launch(
            List<String> command, Path output, Path directory, Map<String, String> environment) {
        return unchecked(() -> {
            var whole = new ArrayList<String>(List.of("setsid"));
            whole.addAll(command);
            var builder = new ProcessBuilder(whole);
            builder.environment().putAll(environment);
            return builder.directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
        });
    }

    /// Returns the words to put before a command so that it runs as this user. Returns an empty
    /// list if this process is not running as root, because only root can switch users.
    public static List<String> asUser(String user, String group) {
        return isRoot()
                ? List.of("setpriv", "--reuid=" + user, "--regid=" + group, "--clear-groups")
                : List.of();
    }

    public static void signal(String name, long pid) {
        var sent = run("kill", "-" + name, Long.toString(pid));
        if (!sent.isSuccess()) {
            throw new IllegalStateException(
                    "SIG%s could not be sent: %s".formatted(name, sent.output()));
        }
    }

    /// Waits for a process to end. Returns false if the process is still running after `limit`, or
    /// if this thread is interrupted.
    public static boolean awaitEnd(Process process, Duration limit) {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
