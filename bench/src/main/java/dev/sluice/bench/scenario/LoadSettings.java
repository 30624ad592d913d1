package dev.sluice.bench.scenario;

import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.platform.Options;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// How hard and how long, for the scenarios that measure speed.
record LoadSettings(int rounds, int connections, int size, Duration warmUp, Duration measured) {

    static LoadSettings from(Options options) {
        return new LoadSettings(
                options.number("rounds", 3),
                options.number("connections", 256),
                options.number("size", 1024),
                options.seconds("warm-up", 10),
                options.seconds("seconds", 20));
    }

    Plan plan(URI ingest, Pace pace) {
        return plan(ingest, pace, Optional.empty());
    }

    /// @param secret that signs each request
    Plan plan(URI ingest, Pace pace, Optional<String> secret) {
        return new Plan(
                ingest, pace, connections, size, warmUp, measured, secret, Optional.empty());
    }

    /// At an even rate over a few connections, with the requests written down.
    Plan noted(URI ingest, int rate, Path ledger) {
        return new Plan(
                ingest,
                new Pace.PerSecond(rate),
                Math.min(connections, 16),
                size,
                warmUp,
                measured,
                Optional.empty(),
                Optional.of(ledger));
    }
}
