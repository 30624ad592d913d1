package dev.sluice.bench.load;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;

import java.util.Arrays;
import java.util.Locale;

/// The kind of content that follows the marker in each request body. The marker identifies the
/// message.
public enum BodyKind {
    /// Text that is the same in every body sent to one source, so the generator does not have to
    /// create it for each request.
    FILLER,
    /// A realistic shop order, different in each request.
    ORDERS;

    /// Returns the kind named by the `--bodies` option, or [#FILLER] if the option is missing.
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
