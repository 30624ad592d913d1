package dev.sluice.bench.load;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;

import java.util.Arrays;
import java.util.Locale;

/// The content of the bodies of a load after their markers.
public enum BodyKind {
    /// The same letters in each body of a source. They cost the generator no time.
    FILLER,
    /// An order as a shop would send it, different each time. It shows how much compression helps.
    ORDERS;

    /// Returns the kind in the option `--bodies`, or the first kind if the option is missing.
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
