package dev.sluice.observe.deadletters;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.DeliveryStatusSql;
import dev.sluice.observe.ReceivedTimeRange;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The filter for a list of dead letters. A delivery matches if it fulfils all given conditions.
///
/// @param statuses final statuses, at least one
/// @param code the error code of the last attempt, or the reason why there was no attempt
/// @param responseStatus the status of the destination's last response
/// @param received when the event was received
/// @param resolved whether the newest delivery succeeded or the dead letter was dismissed
record DeadLetterFilter(
        Set<DeliveryStatus> statuses,
        Optional<SourceId> source,
        Optional<ConnectionId> connection,
        Optional<DestinationId> destination,
        Optional<ErrorCode> code,
        Optional<Integer> responseStatus,
        ReceivedTimeRange received,
        Optional<Boolean> resolved) {

    /// The statuses to list if the request names none.
    static final Set<DeliveryStatus> DEAD_STATUSES = Set.copyOf(DeliveryStatusSql.DEAD_STATUSES);

    private static final Map<String, DeliveryStatus> TERMINAL_STATUSES_BY_NAME =
            byName(
                    DeliveryStatus.SUCCEEDED,
                    DeliveryStatus.FAILED,
                    DeliveryStatus.EXHAUSTED,
                    DeliveryStatus.FILTERED);

    private static final Map<String, DeliveryStatus> DEAD_STATUSES_BY_NAME =
            byName(DeliveryStatus.FAILED, DeliveryStatus.EXHAUSTED);

    private static final Map<String, ErrorCode> ERROR_CODES_BY_NAME =
            Arrays.stream(ErrorCode.values())
                    .collect(Collectors.toMap(ErrorCode::text, Function.identity()));

    private static final Map<String, Boolean> BOOLEANS_BY_NAME =
            Map.of("true", true, "false", false);

    private static Map<String, DeliveryStatus> byName(DeliveryStatus... statuses) {
        return Arrays.stream(statuses)
                .collect(Collectors.toMap(DeliveryStatus::text, Function.identity()));
    }

    /// Reads the filter for a list that covers all sources. Invalid values are recorded in `query`;
    /// its `check` method reports them.
    static DeadLetterFilter of(QueryParameters query) {
        return of(query, query.uuid("source_id").map(SourceId::new), TERMINAL_STATUSES_BY_NAME);
    }

    /// Reads the filter for a list that covers one source.
    static DeadLetterFilter of(SourceId source, QueryParameters query) {
        return of(query, Optional.of(source), TERMINAL_STATUSES_BY_NAME);
    }

    /// Reads the filter for groups, which cover all sources and contain only failures: those that
    /// are not resolved, unless the request asks for the others.
    static DeadLetterFilter ofFailures(QueryParameters query) {
        var filter = of(query, query.uuid("source_id").map(SourceId::new), DEAD_STATUSES_BY_NAME);
        return filter.withResolved(Optional.of(filter.resolved().orElse(false)));
    }

    /// Reads the filter for the summary, which covers all failures of one source.
    static DeadLetterFilter ofSummary(SourceId source, QueryParameters query) {
        return of(source).withResolved(query.oneOf("resolved", BOOLEANS_BY_NAME));
    }

    private DeadLetterFilter withResolved(Optional<Boolean> wanted) {
        return new DeadLetterFilter(
                statuses, source, connection, destination, code, responseStatus, received, wanted);
    }

    /// Returns a filter that matches all failures of one source.
    static DeadLetterFilter of(SourceId source) {
        return new DeadLetterFilter(
                DEAD_STATUSES,
                Optional.of(source),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                ReceivedTimeRange.ALL,
                Optional.empty());
    }

    private static DeadLetterFilter of(
            QueryParameters query,
            Optional<SourceId> source,
            Map<String, DeliveryStatus> statuses) {
        return new DeadLetterFilter(
                query.anyOf("status", statuses).orElse(DEAD_STATUSES),
                source,
                query.uuid("connection_id").map(ConnectionId::new),
                query.uuid("destination_id").map(DestinationId::new),
                query.oneOf("error_code", ERROR_CODES_BY_NAME),
                query.integer("response_status", 100, 999),
                ReceivedTimeRange.of(query),
                query.oneOf("resolved", BOOLEANS_BY_NAME));
    }

    /// Whether the usage counts give the total. If not, rows must be read.
    boolean isCountable() {
        return code.isEmpty() && responseStatus.isEmpty() && resolved.isEmpty();
    }
}
