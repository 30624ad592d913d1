package dev.sluice.bench.load;

/// The rule for when the next request is sent.
public sealed interface LoadPattern {

    /// As soon as the last one on the same connection is answered: finds the maximum.
    record BackToBack() implements LoadPattern {}

    /// At fixed moments, whether or not earlier ones are answered; each latency counts from its
    /// moment, so a stall of the relay shows in every request that fell into it.
    record ConstantRate(int rate) implements LoadPattern {

        public ConstantRate {
            if (rate < 1) {
                throw new IllegalArgumentException("a rate must be at least 1, not " + rate);
            }
        }
    }
}
