package dev.sluice.bench.load;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;

import java.util.Arrays;
import java.util.Locale;

/// What the bodies of a load contain after their markers.
public enum BodyKind {
    /// The same letters in each body of a source: costs the generator nothing.
    FILLER,
    /// An order as a shop would send it, different each time: shows what compression is worth.
    ORDERS;

    /// The option `--bodies`, or the first kind.
    public static BodyKind from(CommandLineOptions options) {
        String name = options.text("bodies").orElse(FILLER.argument());
        return Arrays.stream(values())
                .filter(kind -> kind.argument().equals(name))
                .findFirst()
                .orElseThrow(() -> new CommandLineException("--bodies is filler or orders"));
    }

    String argument() {
        return name().toLowerCase(Locale.ROOT);
    }
}
