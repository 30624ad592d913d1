package dev.sluice.bench.sink;

import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.JavaProcess;
import dev.sluice.bench.platform.SimpleHttpClient;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Runs a sink in a separate process.
public final class SinkProcess implements AutoCloseable {

    private final JavaProcess process;
    private final Sink.SinkPorts ports;

    private SinkProcess(JavaProcess process, Sink.SinkPorts ports) {
        this.process = process;
        this.ports = ports;
    }

    /// Starts a sink that answers 200 immediately and keeps no ledger.
    public static SinkProcess start() {
        return start(new SinkBehaviour.ImmediateAnswers());
    }

    public static SinkProcess start(SinkBehaviour behaviour) {
        return start(behaviour, Optional.empty());
    }

    public static SinkProcess start(SinkBehaviour behaviour, Optional<Path> ledger) {
        return start(behaviour, ledger, 0);
    }

    /// @param port the port for deliveries; 0 means any free port
    public static SinkProcess start(SinkBehaviour behaviour, Optional<Path> ledger, int port) {
        var arguments = new ArrayList<>(behaviour.arguments());
        arguments.addAll(List.of("--port", Integer.toString(port)));
        ledger.ifPresent(path -> arguments.addAll(List.of("--ledger", path.toString())));
        var process = JavaProcess.start(Sink.class, arguments);
        return new SinkProcess(
                process, BenchJson.MAPPER.readValue(process.readLine(), Sink.SinkPorts.class));
    }

    public long pid() {
        return process.pid();
    }

    /// Returns the port for deliveries, even if the sink is not listening on it.
    public int port() {
        return ports.deliveries();
    }

    /// Returns the URL for deliveries.
    public URI url() {
        return URI.create("http://127.0.0.1:" + ports.deliveries() + "/hook");
    }

    public SinkCounts count() {
        URI uri = URI.create("http://127.0.0.1:" + ports.control() + "/count");
        return BenchJson.MAPPER.readValue(SimpleHttpClient.get(uri).body(), SinkCounts.class);
    }

    @Override
    public void close() {
        process.close();
    }
}
