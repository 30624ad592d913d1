package dev.sluice.bench.sink;

import dev.sluice.bench.platform.Http;
import dev.sluice.bench.platform.JavaProcess;
import dev.sluice.bench.platform.Json;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A sink in a process of its own.
public final class SinkProcess implements AutoCloseable {

    private final JavaProcess process;
    private final Sink.Ports ports;

    private SinkProcess(JavaProcess process, Sink.Ports ports) {
        this.process = process;
        this.ports = ports;
    }

    public static SinkProcess start(Behaviour behaviour, Optional<Path> ledger) {
        return start(behaviour, ledger, 0);
    }

    /// @param port for deliveries; 0 takes any free one
    public static SinkProcess start(Behaviour behaviour, Optional<Path> ledger, int port) {
        var arguments = new ArrayList<>(behaviour.arguments());
        arguments.addAll(List.of("--port", Integer.toString(port)));
        ledger.ifPresent(path -> arguments.addAll(List.of("--ledger", path.toString())));
        var process = JavaProcess.start(Sink.class, arguments);
        return new SinkProcess(process, Json.MAPPER.readValue(process.line(), Sink.Ports.class));
    }

    public long pid() {
        return process.pid();
    }

    /// Where deliveries go, or would go if it listened.
    public int port() {
        return ports.deliveries();
    }

    /// Where deliveries go.
    public URI url() {
        return URI.create("http://127.0.0.1:" + ports.deliveries() + "/hook");
    }

    public Count count() {
        URI uri = URI.create("http://127.0.0.1:" + ports.control() + "/count");
        return Json.MAPPER.readValue(Http.get(uri).body(), Count.class);
    }

    @Override
    public void close() {
        process.close();
    }
}
