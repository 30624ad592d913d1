package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.DeliveryStatusSql;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.QueryParameters;

import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads the filters for lists of dead letters. Invalid values are recorded in the
/// [QueryParameters], whose `check` method reports them.
final class DeadLetterFilters {

    /// The statuses to list if the request does not name any. Failure groups and summaries never
    /// include any other status.
    static final Set<DeliveryStatus> DEAD_STATUSES = Set.copyOf(DeliveryStatusSql.DEAD_STATUSES);

    private static final Set<DeliveryStatus> TERMINAL_STATUSES =
            EnumSet.range(DeliveryStatus.SUCCEEDED, DeliveryStatus.FILTERED);

    private static final Map<String, Boolean> BOOLEANS_BY_NAME =
            Map.of("true", true, "false", false);

    private DeadLetterFilters() {}

    /// Reads the filter for a list that covers all sources of a workspace, or only the source in
    /// `source_id`.
    static DeliveryFilter ofWorkspace(QueryParameters query) {
        return read(query, TERMINAL_STATUSES)
                .withSource(query.uuid("source_id").map(SourceId::new));
    }

    /// Reads the filter for a list that covers one source.
    static DeliveryFilter ofSource(SourceId source, QueryParameters query) {
        return read(query, TERMINAL_STATUSES).withSource(Optional.of(source));
    }

    /// Reads the filter for groups of failures. The groups cover all sources of a workspace, or
    /// only the source in `source_id`. They contain unresolved failures, or resolved failures if
    /// the request has `resolved=true`.
    static DeliveryFilter ofFailures(QueryParameters query) {
        var filter =
                read(query, DEAD_STATUSES).withSource(query.uuid("source_id").map(SourceId::new));
        return filter.withResolved(Optional.of(filter.resolved().orElse(false)));
    }

    /// Reads the filter for the summary, which covers the failures of one source: all of them, or
    /// only those that `resolved` selects.
    static DeliveryFilter ofSummary(SourceId source, QueryParameters query) {
        return DeliveryFilter.of(DEAD_STATUSES)
                .withSource(Optional.of(source))
                .withResolved(query.oneOf("resolved", BOOLEANS_BY_NAME));
    }

    private static DeliveryFilter read(QueryParameters query, Set<DeliveryStatus> allowed) {
        return DeliveryFilter.read(query, allowed, DEAD_STATUSES)
                .withResolved(query.oneOf("resolved", BOOLEANS_BY_NAME));
    }
}
