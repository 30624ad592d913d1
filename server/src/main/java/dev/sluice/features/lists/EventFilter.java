package dev.sluice.features.lists;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.platform.http.QueryParameters;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The filter for a list of events. An event matches if it meets all the given conditions.
///
/// @param q text that the event's id must contain, or the whole id of one of its deliveries
/// @param delivery if present, the event must have a delivery that matches this filter
record EventFilter(
        Optional<SourceId> source,
        Optional<VerificationStatus> verification,
        ReceivedTimeRange received,
        Optional<String> q,
        Optional<DeliveryFilter> delivery) {

    private static final Map<String, VerificationStatus> VERIFICATIONS_BY_NAME =
            Arrays.stream(VerificationStatus.values())
                    .collect(Collectors.toMap(VerificationStatus::text, Function.identity()));

    /// Reads the filter from the query. Invalid values are recorded in `query`, whose `check`
    /// method reports them.
    static EventFilter of(QueryParameters query) {
        var source = query.uuid("source_id").map(SourceId::new);
        var received = ReceivedTimeRange.of(query);
        return new EventFilter(
                source,
                query.oneOf("verification_status", VERIFICATIONS_BY_NAME),
                received,
                query.searchText(),
                DeliveryFilter.ofEvents(query, source, received));
    }
}
