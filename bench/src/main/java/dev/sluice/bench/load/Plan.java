package dev.sluice.bench.load;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// What a load generator shall do.
///
/// @param ingests where to, all equally often; their places in this list begin the markers
/// @param bodySize of what goes to the first
/// @param largest of what goes to the last; those between are spread evenly on a logarithmic scale
/// @param measured how long the measured part lasts, after `warmUp`
/// @param secret signs each body, HMAC-SHA256 in hex in the header `X-Signature`
/// @param ledger where each request is written down before it is sent, and its answer after
public record Plan(
        List<URI> ingests,
        Pace pace,
        int connections,
        int bodySize,
        int largest,
        Duration warmUp,
        Duration measured,
        Optional<String> secret,
        Optional<Path> ledger) {

    public Plan {
        ingests = List.copyOf(ingests);
        if (ingests.isEmpty() || largest < bodySize) {
            throw new UsageException("--ingest is missing, or --largest is below --size");
        }
        if (connections < 1 || bodySize < Payload.LEAST) {
            throw new UsageException(
                    "at least 1 connection and a body of " + Payload.LEAST + " bytes are needed");
        }
    }

    /// To one source, all bodies of one size.
    public Plan(
            URI ingest,
            Pace pace,
            int connections,
            int bodySize,
            Duration warmUp,
            Duration measured,
            Optional<String> secret,
            Optional<Path> ledger) {
        this(
                List.of(ingest),
                pace,
                connections,
                bodySize,
                bodySize,
                warmUp,
                measured,
                secret,
                ledger);
    }

    /// Bytes of the body that goes to the ingest at this place.
    int size(int place) {
        double share = ingests.size() == 1 ? 0 : (double) place / (ingests.size() - 1);
        return (int) Math.round(bodySize * Math.pow((double) largest / bodySize, share));
    }

    static Plan from(Options options) {
        int rate = options.number("rate", 0);
        int size = options.number("size", 1024);
        return new Plan(
                options.text("ingest").stream()
                        .flatMap(text -> Arrays.stream(text.split(",", -1)))
                        .map(URI::create)
                        .toList(),
                rate == 0 ? new Pace.BackToBack() : new Pace.PerSecond(rate),
                options.number("connections", 256),
                size,
                options.number("largest", size),
                options.seconds("warm-up", 10),
                options.seconds("seconds", 20),
                options.text("secret"),
                options.path("ledger"));
    }

    List<String> arguments() {
        var arguments = new ArrayList<String>();
        arguments.addAll(
                List.of(
                        "--ingest",
                        String.join(",", ingests.stream().map(URI::toString).toList())));
        if (pace instanceof Pace.PerSecond(int rate)) {
            arguments.addAll(List.of("--rate", Integer.toString(rate)));
        }
        arguments.addAll(List.of("--connections", Integer.toString(connections)));
        arguments.addAll(List.of("--size", Integer.toString(bodySize)));
        arguments.addAll(List.of("--largest", Integer.toString(largest)));
        arguments.addAll(List.of("--warm-up", Long.toString(warmUp.toSeconds())));
        arguments.addAll(List.of("--seconds", Long.toString(measured.toSeconds())));
        secret.ifPresent(key -> arguments.addAll(List.of("--secret", key)));
        ledger.ifPresent(path -> arguments.addAll(List.of("--ledger", path.toString())));
        return arguments;
    }
}
