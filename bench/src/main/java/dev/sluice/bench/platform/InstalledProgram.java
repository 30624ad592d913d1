package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// A running instance of a program that is installed on this machine. Closing this object stops the
/// program and removes its working directory.
public final class InstalledProgram implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    private final Path directory;
    private final Process process;

    private InstalledProgram(Path directory, Process process) {
        this.directory = directory;
        this.process = process;
    }

    /// Throws unless a program with this name is installed.
    public static void require(String name) {
        if (!SystemCommands.isInstalled(name)) {
            throw new CommandLineException(
                    "%s is not installed (Debian: apt-get install %s)".formatted(name, name));
        }
    }

    /// Starts the program and returns once it is listening on the port.
    ///
    /// @param configuration the content to write to the file `configuration` in the program's
    ///   working directory
    public static InstalledProgram start(List<String> command, String configuration, int port) {
        return unchecked(() -> {
            var directory = TemporaryDirectory.make("sluice-bench-");
            Files.writeString(directory.resolve("configuration"), configuration);
            var log = directory.resolve("log");
            var process = SystemCommands.launch(command, log, directory, Map.of());
            var program = new InstalledProgram(directory, process);
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            boolean isUp = Wait.until(START_TIMEOUT, () -> !process.isAlive() || listens(port));
            if (!isUp || !process.isAlive()) {
                String printed = Files.readString(log);
                program.close();
                throw new IllegalStateException(
                        command.getFirst() + " did not start; it printed:\n" + printed);
            }
            return program;
        });
    }

    private static boolean listens(int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        if (!SystemCommands.awaitEnd(process, STOP_TIMEOUT)) {
            process.destroyForcibly();
        }
        TemporaryDirectory.remove(directory);
    }
}
