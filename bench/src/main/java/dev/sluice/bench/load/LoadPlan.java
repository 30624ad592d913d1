package dev.sluice.bench.load;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A plan that says what a load generator sends, how fast, and for how long.
///
/// @param ingests the addresses to send to, in turn. The marker of each message begins with the
///   position of its address in this list
/// @param bodies the kind of content that the bodies have
/// @param secret if present, the key that signs each body; the header `X-Signature` carries the
///   HMAC-SHA256 in hex
/// @param ledger if present, the file that records each request before it is sent, and then its
///   response
public record LoadPlan(
        List<URI> ingests,
        LoadPattern pattern,
        int connections,
        BodySizes sizes,
        BodyKind bodies,
        LoadTimes times,
        Optional<String> secret,
        Optional<Path> ledger) {

    /// A time longer than any scenario, for a load that runs until the scenario stops it.
    public static final Duration UNTIL_FINISHED = Duration.ofHours(4);

    /// How long the load lasts.
    ///
    /// @param warmUp how long requests are sent before the measurement begins
    /// @param measured how long the measurement lasts
    public record LoadTimes(Duration warmUp, Duration measured) {}

    public Duration warmUp() {
        return times.warmUp();
    }

    public Duration measured() {
        return times.measured();
    }

    /// The sizes of the bodies, in bytes. The first ingest address gets bodies of `min` bytes, and
    /// the last gets bodies of `max` bytes. The sizes for the addresses in between are spread
    /// evenly on a logarithmic scale.
    public record BodySizes(int min, int max) {}

    public LoadPlan {
        ingests = List.copyOf(ingests);
        if (ingests.isEmpty() || sizes.max() < sizes.min()) {
            throw new CommandLineException("--ingest is missing, or --largest is below --size");
        }
        if (connections < 1 || sizes.min() < LoadRequestTemplate.MIN_BODY_BYTES) {
            throw new CommandLineException(
                    "at least 1 connection and a body of %d bytes are needed"
                            .formatted(LoadRequestTemplate.MIN_BODY_BYTES));
        }
    }

    /// Returns a plan with 1 KiB bodies and no warm-up, for a load that runs until it is stopped.
    public static LoadPlan of(LoadPattern pattern, int connections, List<URI> ingests) {
        return new LoadPlan(
                ingests,
                pattern,
                connections,
                new BodySizes(1024, 1024),
                BodyKind.FILLER,
                new LoadTimes(Duration.ZERO, UNTIL_FINISHED),
                Optional.empty(),
                Optional.empty());
    }

    public static LoadPlan of(LoadPattern pattern, int connections, URI ingest) {
        return of(pattern, connections, List.of(ingest));
    }

    public LoadPlan following(LoadPattern pattern) {
        return new LoadPlan(ingests, pattern, connections, sizes, bodies, times, secret, ledger);
    }

    public LoadPlan sized(int bytes) {
        return sized(new BodySizes(bytes, bytes));
    }

    public LoadPlan sized(BodySizes sizes) {
        return new LoadPlan(ingests, pattern, connections, sizes, bodies, times, secret, ledger);
    }

    public LoadPlan containing(BodyKind bodies) {
        return new LoadPlan(ingests, pattern, connections, sizes, bodies, times, secret, ledger);
    }

    public LoadPlan lasting(Duration warmUp, Duration measured) {
        return new LoadPlan(
                ingests,
                pattern,
                connections,
                sizes,
                bodies,
                new LoadTimes(warmUp, measured),
                secret,
                ledger);
    }

    public LoadPlan signed(Optional<String> secret) {
        return new LoadPlan(ingests, pattern, connections, sizes, bodies, times, secret, ledger);
    }

    public LoadPlan recorded(Path ledger) {
        var file = Optional.of(ledger);
        return new LoadPlan(ingests, pattern, connections, sizes, bodies, times, secret, file);
    }

    /// Returns the body size, in bytes, for the ingest address at this position.
    int bodySizeAt(int place) {
        double share = ingests.size() == 1 ? 0 : (double) place / (ingests.size() - 1);
        double growth = (double) sizes.max() / sizes.min();
        return (int) Math.round(sizes.min() * Math.pow(growth, share));
    }

    static LoadPlan from(CommandLineOptions options) {
        int rate = options.number("rate", 0);
        int size = options.number("size", 1024);
        return new LoadPlan(
                options.text("ingest").stream()
                        .flatMap(text -> Arrays.stream(text.split(",", -1)))
                        .map(URI::create)
                        .toList(),
                rate == 0 ? new LoadPattern.BackToBack() : new LoadPattern.ConstantRate(rate),
                options.number("connections", 256),
                new BodySizes(size, options.number("largest", size)),
                BodyKind.from(options),
                new LoadTimes(options.seconds("warm-up", 10), options.seconds("seconds", 20)),
                options.text("secret"),
                options.path("ledger"));
    }

    List<String> arguments() {
        var arguments = new ArrayList<String>();
        add(arguments, "ingest", String.join(",", ingests.stream().map(URI::toString).toList()));
        if (pattern instanceof LoadPattern.ConstantRate(int rate)) {
            add(arguments, "rate", rate);
        }
        add(arguments, "connections", connections);
        add(arguments, "size", sizes.min());
        add(arguments, "largest", sizes.max());
        add(arguments, "bodies", bodies.argument());
        add(arguments, "warm-up", times.warmUp().toSeconds());
        add(arguments, "seconds", times.measured().toSeconds());
        secret.ifPresent(key -> add(arguments, "secret", key));
        ledger.ifPresent(path -> add(arguments, "ledger", path));
        return arguments;
    }

    private static void add(List<String> arguments, String name, Object value) {
        arguments.addAll(List.of("--" + name, value.toString()));
    }
}
