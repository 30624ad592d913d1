package dev.sluice.bench.fault;

import dev.sluice.bench.platform.Options;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;

/// How much of everything: what the command line asks for, and else what each fault is meant to
/// have.
///
/// @param rate events a second, all relays together
/// @param calm seconds of load before the harm and after it
/// @param rounds how often the harm is done
/// @param seconds how long it lasts
record Dose(
        Path launcher,
        boolean keep,
        int rate,
        int sources,
        int calm,
        OptionalInt rounds,
        OptionalInt seconds,
        OptionalInt rows,
        OptionalInt nodes) {

    static Dose from(Options options) {
        return new Dose(
                options.path("sluice").orElse(Path.of("bin", "sluice")),
                options.flag("keep"),
                options.number("rate", 400),
                options.number("sources", 40),
                options.number("calm", 10),
                optional(options, "rounds"),
                optional(options, "seconds"),
                optional(options, "rows"),
                optional(options, "nodes"));
    }

    /// As little as shows anything: for a machine that has other things to do.
    Dose smallest() {
        return new Dose(
                launcher,
                keep,
                Math.min(rate, 150),
                Math.min(sources, 12),
                Math.min(calm, 2),
                OptionalInt.of(rounds.orElse(1)),
                OptionalInt.of(seconds.orElse(2)),
                rows,
                nodes);
    }

    int rounds(int standard) {
        return rounds.orElse(standard);
    }

    Duration seconds(int standard) {
        return Duration.ofSeconds(seconds.orElse(standard));
    }

    int rows(int standard) {
        return rows.orElse(standard);
    }

    private static OptionalInt optional(Options options, String name) {
        return options.text(name).isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(options.number(name, 0));
    }
}
