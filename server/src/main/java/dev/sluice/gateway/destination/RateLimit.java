package dev.sluice.gateway.destination;

import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.JsonObject;

import java.util.Optional;

/// How many attempts a node starts at a destination at most.
///
/// @param perSecond from 1 to 10 000
public record RateLimit(int perSecond) {

    private static final int MOST = 10_000;

    /// Reads `rate_limit`; what is wrong is noted in the form, and reads as none.
    static Optional<RateLimit> read(Form form) {
        var perSecond = form.required("per_second", form.integer("per_second", 1, MOST));
        form.nothingElse();
        return perSecond.toOptional().map(RateLimit::new);
    }

    JsonObject json() {
        return new JsonObject().put("per_second", perSecond);
    }
}
