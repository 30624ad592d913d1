package dev.sluice.bench.load;

/// When the next request is sent.
public sealed interface Pace {

    /// As soon as the last one on the same connection is answered: finds the maximum.
    record BackToBack() implements Pace {}

    /// At fixed moments, whether or not earlier ones are answered; each latency counts from its
    /// moment, so a stall of the relay shows in every request that fell into it.
    record PerSecond(int rate) implements Pace {

        public PerSecond {
            if (rate < 1) {
                throw new IllegalArgumentException("a rate must be at least 1, not " + rate);
            }
        }
    }
}
