package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.Shell;
import dev.sluice.cli.testkit.BackgroundRun;
import dev.sluice.cli.testkit.CliRun;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/// Runs the command line tool in this JVM, or as a process, in an environment of its own.
public final class CliRunner {

    private final Path home;
    private final Map<String, String> environment = new HashMap<>();
    private boolean isTerminal;

    /// @param home the home folder of the user who runs it
    public CliRunner(Path home) {
        this.home = home;
    }

    public CliRunner with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public CliRunner onTerminal() {
        isTerminal = true;
        return this;
    }

    public CliRun run(String... args) {
        return runWithInput("", args);
    }

    public CliRun runWithInput(String input, String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status = execute(input, out, err, args);
        return new CliRun(status, out.toString(UTF_8), err.toString(UTF_8));
    }

    /// Runs the tool on a thread of its own.
    public BackgroundRun runInBackground(String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var task = new FutureTask<>(() -> execute("", out, err, args));
        Thread.ofPlatform().daemon().name("sluice").start(task);
        return new BackgroundRun(out, err, task);
    }

    private int execute(
            String input, ByteArrayOutputStream out, ByteArrayOutputStream err, String... args) {
        var shell =
                new Shell(
                        environment,
                        home,
                        new ByteArrayInputStream(input.getBytes(UTF_8)),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        isTerminal);
        return SluiceCommand.run(shell, InstantSource.system(), args);
    }

    /// Starts the tool as a process.
    public Process start(ProcessBuilder.Redirect out, ProcessBuilder.Redirect err, String... args) {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Duser.home=" + home,
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.sluice.cli.SluiceCommand"));
        command.addAll(List.of(args));
        var builder = new ProcessBuilder(command).redirectOutput(out).redirectError(err);
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("SLUICE_") || name.startsWith("XDG_"));
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Runs the tool as a process to its end.
    public CliRun runProcess(String... args) {
        var process = start(ProcessBuilder.Redirect.PIPE, ProcessBuilder.Redirect.PIPE, args);
        try {
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError("the command does not end");
            }
            return new CliRun(process.exitValue(), out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
