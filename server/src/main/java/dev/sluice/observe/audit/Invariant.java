package dev.sluice.observe.audit;

import java.util.Locale;

/// What is true of every stored event, whatever happened to the processes that handled it.
public enum Invariant {
    LOST("every delivery that was made stands somewhere"),
    TWICE("no delivery stands in two places"),
    ORPHAN("no delivery stands without an event that made it"),
    USAGE("the usage sums agree with the rows");

    private final String sentence;

    Invariant(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }

    /// What is found where it is not true, as a word for the log.
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
