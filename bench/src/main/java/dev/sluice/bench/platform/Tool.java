package dev.sluice.bench.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Programs of the machine.
public final class Tool {

    /// @param said both its outputs
    public record Ended(int exit, String said) {

        public boolean isGood() {
            return exit == 0;
        }
    }

    private Tool() {}

    public static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether there is a program of this name.
    public static boolean has(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /// Runs it to its end.
    public static Ended run(String... command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(process.waitFor(), said);
        } catch (IOException e) {
            return new Ended(-1, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a tool", e);
        }
    }

    /// Starts it in a session of its own, so that Ctrl-C here does not reach it.
    ///
    /// @param output where it prints, at the end of what is there
    /// @param environment added to ours
    public static Process launch(
            List<String> command, Path output, Path directory, Map<String, String> environment) {
        try {
            var whole = new ArrayList<String>(List.of("setsid"));
            whole.addAll(command);
            var builder = new ProcessBuilder(whole);
            builder.environment().putAll(environment);
            return builder.directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void signal(String name, long pid) {
        var sent = run("kill", "-" + name, Long.toString(pid));
        if (!sent.isGood()) {
            throw new IllegalStateException(
                    "SIG%s could not be sent: %s".formatted(name, sent.said()));
        }
    }

    /// False when it still runs.
    public static boolean awaitEnd(Process process, Duration limit) {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
