package dev.sluice.cli.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.FutureTask;

/// The command line tool as a process that goes on while the test does, with an empty standard
/// input. What still runs at the end of the test is killed.
public final class CommandProcess implements AutoCloseable {

    private final Process process;
    private final BackgroundRun run;

    /// @param process started with pipes for its output
    public CommandProcess(Process process) {
        this.process = process;
        closeInput();
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var copies =
                new Thread[] {
                    copy(process.getInputStream(), out), copy(process.getErrorStream(), err)
                };
        var status =
                new FutureTask<>(() -> {
                    for (var copy : copies) {
                        copy.join();
                    }
                    return process.waitFor();
                });
        Thread.ofVirtual().start(status);
        run = new BackgroundRun(out, err, status);
    }

    private void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Thread copy(InputStream from, OutputStream to) {
        return Thread.ofPlatform()
                .daemon()
                .start(() -> {
                    try (from) {
                        from.transferTo(to);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    /// What it printed so far, and its end.
    public BackgroundRun run() {
        return run;
    }

    /// Sends a signal.
    ///
    /// @param name such as `STOP`
    public void signal(String name) {
        try {
            int status =
                    new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
            if (status != 0) {
                throw new AssertionError("kill -" + name + " exited with " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
