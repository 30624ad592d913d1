package dev.sluice.faults;

import dev.sluice.bench.platform.CommandLineOptions;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How long a fault lasts, how often it is repeated, and how much load and data it uses. The
/// command line sets these values. Each fault has its own defaults for amounts that are not given.
///
/// @param rate events per second, for all relays together
/// @param calmSeconds seconds of load before and after the fault
/// @param amounts the values of the options `rounds`, `seconds` (how long the fault lasts), `rows`
///   and `nodes`; options that were not given are missing
record FaultOptions(
        Path launcher,
        boolean keep,
        int rate,
        int sources,
        int calmSeconds,
        Map<String, Integer> amounts) {

    private static final List<String> AMOUNTS = List.of("rounds", "seconds", "rows", "nodes");

    FaultOptions {
        amounts = Map.copyOf(amounts);
    }

    static FaultOptions from(CommandLineOptions options) {
        var amounts = new HashMap<String, Integer>();
        for (String name : AMOUNTS) {
            options.text(name).ifPresent(_ -> amounts.put(name, options.number(name, 0)));
        }
        return new FaultOptions(
                options.path("sluice").orElse(Path.of("bin", "sluice")),
                options.flag("keep"),
                options.number("rate", 400),
                options.number("sources", 40),
                options.number("calm", 10),
                amounts);
    }

    /// Returns these options reduced to the minimum that still exercises a fault, for a machine
    /// that is also doing other work. Amounts that were given are kept.
    FaultOptions minimal() {
        var few = new HashMap<>(Map.of("rounds", 1, "seconds", 2));
        few.putAll(amounts);
        return new FaultOptions(
                launcher,
                keep,
                Math.min(rate, 150),
                Math.min(sources, 12),
                Math.min(calmSeconds, 2),
                few);
    }

    int rounds(int standard) {
        return amounts.getOrDefault("rounds", standard);
    }

    Duration seconds(int standard) {
        return Duration.ofSeconds(amounts.getOrDefault("seconds", standard));
    }

    int rows(int standard) {
        return amounts.getOrDefault("rows", standard);
    }

    int nodes(int standard) {
        return amounts.getOrDefault("nodes", standard);
    }
}
