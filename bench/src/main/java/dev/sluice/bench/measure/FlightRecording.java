package dev.sluice.bench.measure;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import jdk.jfr.consumer.RecordingFile;

import java.nio.file.Path;

/// A recording of where another JVM spends its CPU time, made by that JVM's Flight Recorder.
///
/// The recorder samples by CPU time (JEP 509), so threads that are waiting are not counted.
public record FlightRecording(long pid, Path file) {

    private static final String RECORDING_NAME = "bench";

    public static FlightRecording start(long pid, Path file) {
        JvmDiagnostics.run(
                pid,
                "JFR.start",
                "name=" + RECORDING_NAME,
                "settings=none",
                "+jdk.CPUTimeSample#enabled=true",
                "+jdk.CPUTimeSample#throttle=10ms");
        return new FlightRecording(pid, file.toAbsolutePath());
    }

    /// Ends the recording and returns its samples.
    public CpuProfile stop() {
        JvmDiagnostics.run(pid, "JFR.stop", "name=" + RECORDING_NAME, "filename=" + file);
        var profile = new CpuProfile();
        for (var event : unchecked(() -> RecordingFile.readAllEvents(file))) {
            if (event.getEventType().getName().equals("jdk.CPUTimeSample")
                    && event.getStackTrace() != null) {
                profile.add(
                        event.getStackTrace().getFrames().reversed().stream()
                                .map(frame -> frame.getMethod())
                                .map(method -> method.getType().getName() + "." + method.getName())
                                .toList());
            }
        }
        return profile;
    }
}
