package dev.sluice.gateway.destination;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;

import java.util.Optional;

/// A destination's rate limit: how many delivery attempts each node may start per second.
///
/// @param perSecond attempts per second, 1 to 10,000
public record RateLimit(int perSecond) {

    private static final int MAX_PER_SECOND = 10_000;

    /// Reads `rate_limit`. Invalid fields are recorded as errors in `input`. Returns empty if
    /// `per_second` is missing or invalid.
    static Optional<RateLimit> read(FieldReader input) {
        var perSecond =
                input.required("per_second", input.integer("per_second", 1, MAX_PER_SECOND));
        input.rejectUnknownFields();
        return perSecond.toOptional().map(RateLimit::new);
    }

    JsonObject json() {
        return new JsonObject().put("per_second", perSecond);
    }
}
