package dev.sluice.gateway.destination;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Patch;

import java.util.Optional;

/// A destination's limits on concurrent attempts and on attempts per second. Immutable.
///
/// @param maxInFlight the maximum number of concurrent attempts from each node
/// @param rateLimit the maximum rate of attempts from each node; empty for unlimited
public record DestinationLimits(int maxInFlight, Optional<RateLimit> rateLimit) {

    /// The limits that apply unless the user sets others.
    static final DestinationLimits DEFAULT = new DestinationLimits(32, Optional.empty());

    private static final int MAX_IN_FLIGHT = 256;

    /// The limit fields in the body of a create or PATCH request. Null resets a limit to its
    /// default.
    record DestinationLimitFields(
            Patch<Integer> maxInFlight, Patch<Optional<RateLimit>> rateLimit) {

        static DestinationLimitFields read(FieldReader input) {
            return new DestinationLimitFields(
                    input.integer("max_in_flight", 1, MAX_IN_FLIGHT),
                    input.nested("rate_limit").map(RateLimit::read));
        }

        DestinationLimits applyTo(DestinationLimits limits) {
            return new DestinationLimits(
                    maxInFlight.applyTo(limits.maxInFlight, DEFAULT.maxInFlight),
                    rateLimit.applyTo(limits.rateLimit, DEFAULT.rateLimit));
        }
    }
}
