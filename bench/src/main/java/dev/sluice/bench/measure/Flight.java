package dev.sluice.bench.measure;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A recording of where another JVM spends its CPU time, by its own Flight Recorder: samples by CPU
/// time (JEP 509), so that threads that wait do not count.
public final class Flight implements AutoCloseable {

    private static final String NAME = "bench";

    private final long pid;
    private final Path recording;

    private Flight(long pid, Path recording) {
        this.pid = pid;
        this.recording = recording;
    }

    public static Flight start(long pid) {
        try {
            var recording = Files.createTempFile("sluice-bench-", ".jfr").toAbsolutePath();
            jcmd(
                    pid,
                    "JFR.start",
                    "name=" + NAME,
                    "settings=none",
                    "+jdk.CPUTimeSample#enabled=true",
                    "+jdk.CPUTimeSample#throttle=10ms");
            return new Flight(pid, recording);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Ends it, and writes what it saw as a flame graph.
    public void land(Path svg) {
        jcmd(pid, "JFR.stop", "name=" + NAME, "filename=" + recording);
        var graph = new FlameGraph();
        try (var file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                stack(file.readEvent()).ifPresent(graph::add);
            }
            Files.writeString(svg, graph.svg(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Outermost first; empty for other events.
    private static Optional<List<String>> stack(RecordedEvent event) {
        if (!event.getEventType().getName().equals("jdk.CPUTimeSample")
                || event.getStackTrace() == null) {
            return Optional.empty();
        }
        var names = new ArrayList<String>();
        for (RecordedFrame frame : event.getStackTrace().getFrames().reversed()) {
            var method = frame.getMethod();
            names.add(method.getType().getName() + "." + method.getName());
        }
        return Optional.of(names);
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(recording);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void jcmd(long pid, String... words) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        var command = new ArrayList<>(List.of(jcmd.toString(), Long.toString(pid)));
        command.addAll(Arrays.asList(words));
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("jcmd said: " + said);
            }
        } catch (IOException e) {
            throw new IllegalStateException("jcmd could not be run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
