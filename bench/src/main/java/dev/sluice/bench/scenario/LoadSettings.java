package dev.sluice.bench.scenario;

import dev.sluice.bench.load.BodyKind;
import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.platform.CommandLineOptions;

import java.net.URI;
import java.time.Duration;

/// The command line's settings for how much load a scenario puts on the relay, and for how long.
///
/// @param maxInFlight the destination's limit on concurrent attempts
record LoadSettings(
        int rounds,
        int connections,
        int size,
        BodyKind bodies,
        Duration warmUp,
        Duration measured,
        int maxInFlight) {

    static LoadSettings from(CommandLineOptions options) {
        return from(options, 10, 20);
    }

    /// @param warmUp the default length of the warm-up, in seconds
    /// @param measured the default length of the measurement, in seconds
    static LoadSettings from(CommandLineOptions options, int warmUp, int measured) {
        return new LoadSettings(
                options.number("rounds", 3),
                options.number("connections", 256),
                options.number("size", 1024),
                BodyKind.from(options),
                options.seconds("warm-up", warmUp),
                options.seconds("seconds", measured),
                options.number("in-flight", 64));
    }

    String title() {
        return "%d connections, %d bytes".formatted(connections, size);
    }

    LoadPlan backToBack(URI ingest) {
        return plan(ingest, new LoadPattern.BackToBack(), connections);
    }

    LoadPlan atRate(int rate, URI ingest) {
        return plan(ingest, new LoadPattern.ConstantRate(rate), connections);
    }

    /// Returns a load at a constant rate over at most 16 connections.
    LoadPlan gently(int rate, URI ingest) {
        return plan(ingest, new LoadPattern.ConstantRate(rate), Math.min(connections, 16));
    }

    private LoadPlan plan(URI ingest, LoadPattern pattern, int over) {
        return LoadPlan.of(pattern, over, ingest)
                .sized(size)
                .containing(bodies)
                .lasting(warmUp, measured);
    }
}
