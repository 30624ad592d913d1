package dev.sluice.bench.bare;

import dev.sluice.bench.platform.JavaProcess;
import dev.sluice.bench.platform.Json;
import dev.sluice.bench.relay.DatabaseAddress;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The bare pipeline in a process of its own, on a database that somebody else runs.
public final class BareProcess implements AutoCloseable {

    /// The relay's own (`bin/sluice`).
    private static final List<String> FLAGS =
            List.of(
                    "-XX:+UseG1GC",
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:MaxRAMPercentage=40",
                    "-XX:+ExitOnOutOfMemoryError");

    private final JavaProcess process;
    private final int port;

    private BareProcess(JavaProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /// @param schema where its tables are, made anew
    public static BareProcess start(
            DatabaseAddress database, String schema, URI sink, int inFlight, BareVariant variant) {
        var arguments = new ArrayList<>(variant.arguments());
        arguments.addAll(
                List.of(
                        "--schema", schema,
                        "--sink", sink.toString(),
                        "--in-flight", Integer.toString(inFlight)));
        var flags = new ArrayList<>(FLAGS);
        flags.addAll(variant.flags());
        var process =
                JavaProcess.start(
                        flags,
                        BarePipeline.class,
                        arguments,
                        Map.of(
                                BarePipeline.URL, database.jdbcUrl(),
                                BarePipeline.USER, database.user(),
                                BarePipeline.PASSWORD, database.password()));
        var port = Json.MAPPER.readValue(process.line(), BarePipeline.Port.class);
        return new BareProcess(process, port.port());
    }

    public long pid() {
        return process.pid();
    }

    public URI ingest() {
        return URI.create("http://127.0.0.1:" + port + "/in/bare");
    }

    @Override
    public void close() {
        process.close();
    }
}
