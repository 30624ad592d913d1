package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The exit code and output of a short-lived command. The static methods prepare commands with a
/// clean environment and run them.
///
/// @param output standard output and standard error together
record CommandResult(int exitCode, String output) {

    /// The time limit for a command. Only `initdb` and creating the database can take long, because
    /// they wait for the disk. All other commands finish quickly.
    private static final long COMMAND_TIMEOUT_MINUTES = 5;

    boolean succeeded() {
        return exitCode == 0;
    }

    static CommandResult run(List<String> command, Path directory) throws InterruptedException {
        return run(command, directory, "");
    }

    /// Runs the command to its end, with `input` as its standard input. A program that cannot be
    /// started, or that does not read its input, counts as a failure with exit code 127. A program
    /// that does not exit within five minutes is killed and counts as a failure with exit code 124.
    static CommandResult run(List<String> command, Path directory, String input)
            throws InterruptedException {
        try {
            var process = prepare(command, directory).redirectErrorStream(true).start();
            return awaitExit(process, input);
        } catch (IOException e) {
            return new CommandResult(127, String.valueOf(e.getMessage()));
        }
    }

    /// Prepares a command with an almost empty environment. Sluice's own environment may contain
    /// secrets, as well as locale or `PG...` variables that would change how PostgreSQL behaves.
    static ProcessBuilder prepare(List<String> command, Path directory) {
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        Map<String, String> environment = builder.environment();
        String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
        environment.clear();
        environment.put("PATH", path + ":/usr/sbin:/sbin");
        environment.put("LC_ALL", "C");
        return builder;
    }

    /// Waits for the process to exit before reading its output. This works because the programs
    /// print little enough to fit into the pipe.
    private static CommandResult awaitExit(Process process, String input)
            throws IOException, InterruptedException {
        try {
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(UTF_8));
            }
            if (!process.waitFor(COMMAND_TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
                return new CommandResult(
                        124, "did not exit within " + COMMAND_TIMEOUT_MINUTES + " minutes");
            }
            return new CommandResult(
                    process.exitValue(),
                    new String(process.getInputStream().readAllBytes(), UTF_8).strip());
        } finally {
            process.destroyForcibly();
        }
    }
}
