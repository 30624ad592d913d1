package dev.sluice.bench.platform;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// One of our own tools in a virtual machine of its own, read line by line.
///
/// Closing it closes its standard input, which is the tool's sign to stop; so it also stops when
/// this process dies.
public final class JavaProcess implements AutoCloseable {

    private static final int SECONDS_TO_STOP = 20;

    private final Process process;
    private final BufferedReader lines;

    private JavaProcess(Process process) {
        this.process = process;
        this.lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /// With a small heap and the simple collector: few threads beside the one that works.
    public static JavaProcess start(Class<?> tool, List<String> arguments) {
        var flags = List.of("-Xms128m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData");
        return start(flags, tool, arguments, Map.of());
    }

    /// @param flags of the virtual machine
    /// @param environment added to ours; may hold what must not stand in a command line
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
        try {
            var builder = new ProcessBuilder(command);
            builder.environment().putAll(environment);
            return new JavaProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    /// The next line the tool printed; waits for it.
    public String line() {
        try {
            String line = lines.readLine();
            if (line == null) {
                throw new IllegalStateException(
                        "a tool ended without its result, exit " + process.waitFor());
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a tool", e);
        }
    }

    /// Asks the tool to come to its end; what it prints can still be read.
    public void finish() {
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            // It has ended already, which is what was asked for.
            process.destroy();
        }
    }

    @Override
    public void close() {
        finish();
        try {
            if (!process.waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
