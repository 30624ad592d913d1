package dev.sluice.bench.load;

import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.JavaProcess;

import java.util.ArrayList;

/// Runs a load generator in a separate process.
public final class LoadProcess implements AutoCloseable {

    private final JavaProcess process;

    private LoadProcess(JavaProcess process) {
        this.process = process;
    }

    public static LoadProcess start(LoadPlan plan) {
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

    /// Ends the measurement period immediately.
    public void finish() {
        process.requestStop();
    }

    /// Waits for the last responses and returns the result. Call this after [#awaitMeasured()].
    public LoadResult result() {
        return BenchJson.MAPPER.readValue(process.readLine(), LoadResult.class);
    }

    @Override
    public void close() {
        process.close();
    }

    private void await(String phase) {
        String line = process.readLine();
        if (!line.equals(phase)) {
            throw new IllegalStateException("expected '" + phase + "', not '" + line + "'");
        }
    }
}
