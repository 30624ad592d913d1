package dev.sluice.bench.load;

import dev.sluice.bench.platform.JavaProcess;
import dev.sluice.bench.platform.Json;

import java.util.ArrayList;

/// A load generator in a process of its own.
public final class LoadProcess implements AutoCloseable {

    private final JavaProcess process;

    private LoadProcess(JavaProcess process) {
        this.process = process;
    }

    public static LoadProcess start(Plan plan) {
        var arguments = new ArrayList<>(plan.arguments());
        arguments.add("--until-closed");
        return new LoadProcess(JavaProcess.start(LoadGenerator.class, arguments));
    }

    public long pid() {
        return process.pid();
    }

    public void awaitMeasuring() {
        await("measuring");
    }

    public void awaitMeasured() {
        await("measured");
    }

    /// Ends the measured time now.
    public void finish() {
        process.finish();
    }

    /// To be asked after [#awaitMeasured()]; waits for the last answers.
    public Result result() {
        return Json.MAPPER.readValue(process.line(), Result.class);
    }

    @Override
    public void close() {
        process.close();
    }

    private void await(String phase) {
        String line = process.line();
        if (!line.equals(phase)) {
            throw new IllegalStateException("expected '" + phase + "', not '" + line + "'");
        }
    }
}
