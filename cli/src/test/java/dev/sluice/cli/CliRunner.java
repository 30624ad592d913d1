package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.Shell;
import dev.sluice.cli.testkit.BackgroundRun;
import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.CommandProcess;

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

/// Runs the command line tool in this JVM, or as a process, in an environment of its own.
public final class CliRunner {

    private final Path home;
    private final Map<String, String> environment = new HashMap<>();
    private final List<String> prefix = new ArrayList<>();
    private final List<String> flags = new ArrayList<>();
    private String program = SluiceCommand.class.getName();
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

    /// Starts the process by this program.
    public CliRunner startedBy(String... words) {
        prefix.addAll(List.of(words));
        return this;
    }

    /// Runs this class as the process.
    public CliRunner asProgram(Class<?> main) {
        program = main.getName();
        return this;
    }

    /// Sets a system property of the process.
    public CliRunner withProperty(String name, String value) {
        flags.add("-D" + name + "=" + value);
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

    /// Starts the tool as a process that goes on while the test does.
    public CommandProcess startProcess(String... args) {
        return new CommandProcess(start(args));
    }

    private Process start(String... args) {
        var command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Duser.home=" + home));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program));
        command.addAll(List.of(args));
        var builder = new ProcessBuilder(command);
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
        try (var process = startProcess(args)) {
            return process.run().awaitEnd();
        }
    }
}
