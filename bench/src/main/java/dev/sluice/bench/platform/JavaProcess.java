package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// One of this project's own tools, running in a separate JVM. The caller reads its output line by
/// line.
///
/// The tool stops when its standard input is closed, and therefore also when this process dies.
public final class JavaProcess implements AutoCloseable {

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    private final Process process;
    private final BufferedReader lines;

    private JavaProcess(Process process) {
        this.process = process;
        this.lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /// Starts the tool with a small heap and the serial collector, so that the JVM has few threads
    /// besides the one that does the work.
    public static JavaProcess start(Class<?> tool, List<String> arguments) {
        var flags = List.of("-Xms128m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData");
        return start(flags, tool, arguments, Map.of());
    }

    /// @param flags the flags for the JVM
    /// @param environment variables to add to the environment that the tool inherits. They may
    ///   contain secrets, which must not appear on a command line
    public static JavaProcess start(
            List<String> flags,
            Class<?> tool,
            List<String> arguments,
            Map<String, String> environment) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), tool.getName()));
        command.addAll(arguments);
        return unchecked(() -> {
            var builder = new ProcessBuilder(command);
            builder.environment().putAll(environment);
            return new JavaProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        });
    }

    public long pid() {
        return process.pid();
    }

    /// Waits for the next line of the tool's output and returns it.
    public String readLine() {
        return unchecked(() -> {
            String line = lines.readLine();
            if (line == null) {
                throw new IllegalStateException(
                        "a tool ended without its result, exit " + process.waitFor());
            }
            return line;
        });
    }

    /// Asks the tool to end. Its output can still be read.
    public void requestStop() {
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            // The tool has already ended.
            process.destroy();
        }
    }

    @Override
    public void close() {
        requestStop();
        if (!SystemCommands.awaitEnd(process, STOP_TIMEOUT)) {
            process.destroyForcibly();
        }
    }
}
