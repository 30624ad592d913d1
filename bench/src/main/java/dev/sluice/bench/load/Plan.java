package dev.sluice.bench.load;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a load generator shall do.
///
/// @param measured how long the measured part lasts, after `warmUp`
/// @param secret signs each body, HMAC-SHA256 in hex in the header `X-Signature`
/// @param ledger where each request is written down before it is sent, and its answer after
public record Plan(
        URI ingest,
        Pace pace,
        int connections,
        int bodySize,
        Duration warmUp,
        Duration measured,
        Optional<String> secret,
        Optional<Path> ledger) {

    public Plan {
        if (connections < 1 || bodySize < Payload.LEAST) {
            throw new UsageException(
                    "at least 1 connection and a body of " + Payload.LEAST + " bytes are needed");
        }
    }

    static Plan from(Options options) {
        int rate = options.number("rate", 0);
        return new Plan(
                options.uri("ingest").orElseThrow(() -> new UsageException("--ingest is missing")),
                rate == 0 ? new Pace.BackToBack() : new Pace.PerSecond(rate),
                options.number("connections", 256),
                options.number("size", 1024),
                options.seconds("warm-up", 10),
                options.seconds("seconds", 20),
                options.text("secret"),
                options.path("ledger"));
    }

    List<String> arguments() {
        var arguments = new ArrayList<String>();
        arguments.addAll(List.of("--ingest", ingest.toString()));
        if (pace instanceof Pace.PerSecond(int rate)) {
            arguments.addAll(List.of("--rate", Integer.toString(rate)));
        }
        arguments.addAll(List.of("--connections", Integer.toString(connections)));
        arguments.addAll(List.of("--size", Integer.toString(bodySize)));
        arguments.addAll(List.of("--warm-up", Long.toString(warmUp.toSeconds())));
        arguments.addAll(List.of("--seconds", Long.toString(measured.toSeconds())));
        secret.ifPresent(key -> arguments.addAll(List.of("--secret", key)));
        ledger.ifPresent(path -> arguments.addAll(List.of("--ledger", path.toString())));
        return arguments;
    }
}
