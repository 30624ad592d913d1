package dev.sluice.features.lists;

import dev.sluice.engine.CauseFilter;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.platform.http.QueryParameters;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The filter for a list of deliveries. A delivery matches if it meets all the given conditions.
///
/// @param statuses the delivery must have one of these statuses; not empty
/// @param received the time range in which the event must have been received
/// @param resolved true to include only resolved deliveries, false to include only unresolved ones,
///   empty to include both. A delivery is resolved if it was dismissed, or if the newest delivery
///   of its event on the same connection succeeded
/// @param q text that the delivery's id must contain, or the whole id of the delivery's event
public record DeliveryFilter(
        Set<DeliveryStatus> statuses,
        Optional<SourceId> source,
        Optional<ConnectionId> connection,
        Optional<DestinationId> destination,
        CauseFilter cause,
        ReceivedTimeRange received,
        Optional<Boolean> resolved,
        Optional<String> q) {

    public static final Set<DeliveryStatus> ALL_STATUSES = Set.of(DeliveryStatus.values());

    static final Set<DeliveryStatus> UNFINISHED_STATUSES =
            Set.of(DeliveryStatus.PENDING, DeliveryStatus.DELIVERING);

    private static final Map<String, ErrorCode> ERROR_CODES_BY_NAME =
            Arrays.stream(ErrorCode.values())
                    .collect(Collectors.toMap(ErrorCode::text, Function.identity()));

    /// Returns a filter that matches all deliveries with these statuses.
    public static DeliveryFilter of(Set<DeliveryStatus> statuses) {
        return new DeliveryFilter(
                statuses,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                CauseFilter.ANY,
                ReceivedTimeRange.ALL,
                Optional.empty(),
                Optional.empty());
    }

    /// Reads the filter from the query, except for the parameters `source_id` and `resolved`.
    /// Invalid values are recorded in `query`, whose `check` method reports them.
    ///
    /// @param allowed the statuses that the request may name
    /// @param usual the statuses to use if the request names none
    public static DeliveryFilter read(
            QueryParameters query, Collection<DeliveryStatus> allowed, Set<DeliveryStatus> usual) {
        return new DeliveryFilter(
                query.anyOf("status", byName(allowed)).orElse(usual),
                Optional.empty(),
                query.uuid("connection_id").map(ConnectionId::new),
                query.uuid("destination_id").map(DestinationId::new),
                new CauseFilter(
                        query.oneOf("error_code", ERROR_CODES_BY_NAME),
                        query.integer("response_status", 100, 999)),
                ReceivedTimeRange.of(query),
                Optional.empty(),
                query.searchText());
    }

    /// Reads the filter for lists of events from `status`, `connection_id` and `destination_id`.
    /// Returns empty if the request has none of them.
    public static Optional<DeliveryFilter> ofEvents(
            QueryParameters query, Optional<SourceId> source, ReceivedTimeRange received) {
        var statuses = query.anyOf("status", byName(ALL_STATUSES));
        var connection = query.uuid("connection_id").map(ConnectionId::new);
        var destination = query.uuid("destination_id").map(DestinationId::new);
        if (statuses.isEmpty() && connection.isEmpty() && destination.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new DeliveryFilter(
                        statuses.orElse(ALL_STATUSES),
                        source,
                        connection,
                        destination,
                        CauseFilter.ANY,
                        received,
                        Optional.empty(),
                        Optional.empty()));
    }

    private static Map<String, DeliveryStatus> byName(Collection<DeliveryStatus> statuses) {
        return statuses.stream()
                .collect(Collectors.toMap(DeliveryStatus::text, Function.identity()));
    }

    public DeliveryFilter withSource(Optional<SourceId> wanted) {
        return new DeliveryFilter(
                statuses, wanted, connection, destination, cause, received, resolved, q);
    }

    public DeliveryFilter withResolved(Optional<Boolean> wanted) {
        return new DeliveryFilter(
                statuses, source, connection, destination, cause, received, wanted, q);
    }

    public Optional<ErrorCode> code() {
        return cause.code();
    }

    public Optional<Integer> responseStatus() {
        return cause.responseStatus();
    }

    boolean wantsUnresolved() {
        return resolved.equals(Optional.of(false));
    }

    boolean wantsUnfinished() {
        return statuses.stream().anyMatch(UNFINISHED_STATUSES::contains);
    }

    /// Returns whether the total can be computed from the usage counts, without reading rows. This
    /// method ignores `q`. The usage counts do not distinguish pending deliveries from deliveries
    /// that are being sent, so the filter must include both or neither.
    boolean isCountable() {
        return cause.code().isEmpty()
                && cause.responseStatus().isEmpty()
                && resolved.isEmpty()
                && (!wantsUnfinished() || statuses.containsAll(UNFINISHED_STATUSES));
    }
}
