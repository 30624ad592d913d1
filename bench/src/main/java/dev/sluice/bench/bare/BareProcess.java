package dev.sluice.bench.bare;

import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.JavaProcess;
import dev.sluice.bench.relay.DatabaseAddress;

import java.net.URI;
import java.util.List;
import java.util.Map;

/// Runs the bare pipeline in a separate process. The pipeline uses a relay's database.
public final class BareProcess implements AutoCloseable {

    /// A subset of the JVM flags that `bin/sluice` uses to start the relay.
    private static final List<String> JVM_FLAGS =
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

    public static BareProcess start(DatabaseAddress database, URI sink, int inFlight) {
        var arguments =
                List.of("--sink", sink.toString(), "--in-flight", Integer.toString(inFlight));
        var process =
                JavaProcess.start(
                        JVM_FLAGS,
                        BarePipeline.class,
                        arguments,
                        Map.of(
                                BarePipeline.DATABASE_URL_VARIABLE, database.jdbcUrl(),
                                BarePipeline.DATABASE_USER_VARIABLE, database.user(),
                                BarePipeline.DATABASE_PASSWORD_VARIABLE, database.password()));
        var port =
                BenchJson.MAPPER.readValue(process.readLine(), BarePipeline.BarePipelinePort.class);
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
