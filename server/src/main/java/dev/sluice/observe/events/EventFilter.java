package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.ReceivedTimeRange;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.relay.VerificationStatus;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The filter for a list of events. An event matches if it fulfils all given conditions.
///
/// @param q text that the event's id must contain
record EventFilter(
        Optional<SourceId> source,
        Optional<VerificationStatus> verification,
        ReceivedTimeRange received,
        Optional<String> q) {

    private static final Map<String, VerificationStatus> VERIFICATIONS_BY_NAME =
            Arrays.stream(VerificationStatus.values())
                    .collect(Collectors.toMap(VerificationStatus::text, Function.identity()));

    /// Reads the filter from the query. Invalid values are recorded in `query`; its `check` method
    /// reports them.
    static EventFilter of(QueryParameters query) {
        return new EventFilter(
                query.uuid("source_id").map(SourceId::new),
                query.oneOf("verification_status", VERIFICATIONS_BY_NAME),
                ReceivedTimeRange.of(query),
                query.searchText());
    }
}
