package dev.sluice.observe.deadletters;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.Query;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;

import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Which deliveries a list is about: those that pass all that is asked for.
///
/// @param statuses terminal ones, at least one
/// @param code of the last attempt, or why there was none
/// @param responseStatus what the destination answered last
/// @param after of the event's arrival; inclusive
/// @param before of the event's arrival; exclusive
record DeadLetterFilter(
        Set<DeliveryStatus> statuses,
        Optional<SourceId> source,
        Optional<ConnectionId> connection,
        Optional<DestinationId> destination,
        Optional<ErrorCode> code,
        Optional<Integer> responseStatus,
        Optional<Instant> after,
        Optional<Instant> before) {

    /// What is listed unless something else is asked for.
    static final Set<DeliveryStatus> DEAD = Set.of(DeliveryStatus.FAILED, DeliveryStatus.EXHAUSTED);

    private static final Map<String, DeliveryStatus> TERMINAL =
            named(
                    DeliveryStatus.SUCCEEDED,
                    DeliveryStatus.FAILED,
                    DeliveryStatus.EXHAUSTED,
                    DeliveryStatus.FILTERED);

    private static final Map<String, DeliveryStatus> FAILURES =
            named(DeliveryStatus.FAILED, DeliveryStatus.EXHAUSTED);

    private static final Map<String, ErrorCode> CODES =
            Arrays.stream(ErrorCode.values())
                    .collect(Collectors.toMap(ErrorCode::text, Function.identity()));

    private static Map<String, DeliveryStatus> named(DeliveryStatus... statuses) {
        return Arrays.stream(statuses)
                .collect(Collectors.toMap(DeliveryStatus::text, Function.identity()));
    }

    /// Over all sources. What is wrong is noted in the query.
    static DeadLetterFilter of(Query query) {
        return of(query, query.uuid("source_id").map(SourceId::new), TERMINAL);
    }

    /// Of one source.
    static DeadLetterFilter of(SourceId source, Query query) {
        return of(query, Optional.of(source), TERMINAL);
    }

    /// Over all sources, failures only.
    static DeadLetterFilter ofFailures(Query query) {
        return of(query, query.uuid("source_id").map(SourceId::new), FAILURES);
    }

    /// All that failed of one source.
    static DeadLetterFilter of(SourceId source) {
        return new DeadLetterFilter(
                DEAD,
                Optional.of(source),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static DeadLetterFilter of(
            Query query, Optional<SourceId> source, Map<String, DeliveryStatus> statuses) {
        return new DeadLetterFilter(
                query.someOf("status", statuses).orElse(DEAD),
                source,
                query.uuid("connection_id").map(ConnectionId::new),
                query.uuid("destination_id").map(DestinationId::new),
                query.oneOf("error_code", CODES),
                query.whole("response_status", 100, 999),
                query.time("received_after"),
                query.time("received_before"));
    }

    /// Whether the sums know how many pass; otherwise rows must be looked at.
    boolean isCounted() {
        return code.isEmpty() && responseStatus.isEmpty();
    }
}
