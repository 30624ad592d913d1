package dev.sluice.features.audit;

import java.util.Locale;

/// A property that the stored events and deliveries must have, even if a process that handled them
/// has crashed.
public enum Invariant {
    LOST("every delivery that was made is stored"),
    TWICE("no delivery is stored twice"),
    ORPHAN("every delivery belongs to a stored event"),
    USAGE("the usage counts match the rows"),
    UNREADABLE("everything stored can be read");

    private final String sentence;

    Invariant(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }

    /// Returns the name used for this invariant in the log.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
