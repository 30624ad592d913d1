package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.Query;
import dev.sluice.relay.Verification;

import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Which events a list is about: those that pass all that is asked for.
///
/// @param after inclusive
/// @param before exclusive
/// @param q a part of the event's id
record EventFilter(
        Optional<SourceId> source,
        Optional<Verification> verification,
        Optional<Instant> after,
        Optional<Instant> before,
        Optional<String> q) {

    private static final Map<String, Verification> VERIFICATIONS =
            Arrays.stream(Verification.values())
                    .collect(Collectors.toMap(Verification::text, Function.identity()));

    /// What is wrong is noted in the query.
    static EventFilter of(Query query) {
        return new EventFilter(
                query.uuid("source_id").map(SourceId::new),
                query.oneOf("verification_status", VERIFICATIONS),
                query.time("received_after"),
                query.time("received_before"),
                query.text("q"));
    }
}
