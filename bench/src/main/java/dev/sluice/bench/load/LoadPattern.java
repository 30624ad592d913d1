package dev.sluice.bench.load;

/// The rule that decides when the next request is sent.
public sealed interface LoadPattern {

    /// Sends a request as soon as the previous one on the same connection is answered. Use this
    /// pattern to find the maximum rate.
    record BackToBack() implements LoadPattern {}

    /// Sends requests at a fixed rate, whether or not earlier ones have been answered. Each latency
    /// is measured from the moment the request was due, so if the relay stalls, the latency of
    /// every request that was due during the stall increases.
    record ConstantRate(int rate) implements LoadPattern {

        public ConstantRate {
            if (rate < 1) {
                throw new IllegalArgumentException("a rate must be at least 1, not " + rate);
            }
        }
    }
}
