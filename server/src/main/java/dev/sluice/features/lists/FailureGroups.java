package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.history.ListPage;
import dev.sluice.history.PageCursor;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Failed and exhausted deliveries, grouped by destination, error code and response status.
///
/// Not thread-safe: a single thread adds the deliveries, one part of the list at a time.
final class FailureGroups {

    private record FailureCause(
            DestinationId destination, Optional<Integer> code, Optional<Integer> responseStatus) {}

    /// @param example the id of the newest delivery in the group
    private record FailureGroup(
            FailureCause cause,
            String destinationName,
            long n,
            Instant first,
            Instant last,
            UUID example) {

        private FailureGroup merge(FailureGroup other) {
            return new FailureGroup(
                    cause,
                    destinationName,
                    n + other.n,
                    first.isBefore(other.first) ? first : other.first,
                    last.isAfter(other.last) ? last : other.last,
                    Uuid7.UNSIGNED_ORDER.compare(example, other.example) > 0
                            ? example
                            : other.example);
        }

        private JsonObject json() {
            var delivery = new DeliveryId(example);
            return new JsonObject()
                    .put("destination_id", cause.destination)
                    .put("destination_name", destinationName)
                    .put(
                            "error_code",
                            cause.code.map(number -> ErrorCode.fromNumber(number).text()))
                    .put("response_status", cause.responseStatus)
                    .put("count", n)
                    .put("first_seen", first)
                    .put("last_seen", last)
                    .put("example_delivery_id", delivery)
                    .put("example_event_id", delivery.event());
        }
    }

    /// Sorts the largest group first. Among groups of equal size, the one with the latest failure
    /// comes first.
    private static final Comparator<FailureGroup> LARGEST_FIRST =
            Comparator.comparingLong(FailureGroup::n)
                    .thenComparing(FailureGroup::last)
                    .thenComparing(FailureGroup::example, Uuid7.UNSIGNED_ORDER)
                    .reversed();

    private final DeliveryScope scope;
    private final Map<FailureCause, FailureGroup> groups = new HashMap<>();
    private long scannedCount;
    private Optional<UUID> stopped = Optional.empty();

    /// @param scannedBefore the number of deliveries that earlier requests scanned
    FailureGroups(DeliveryScope scope, long scannedBefore) {
        this.scope = scope;
        scannedCount = scannedBefore;
    }

    void add(DeadLetterQueries.LocationGroups found) {
        scannedCount += found.scannedCount();
        for (var failures : found.groups()) {
            var scopedConnection = scope.target(failures.connection());
            var cause =
                    new FailureCause(
                            scopedConnection.destination(),
                            failures.code(),
                            failures.responseStatus());
            var group =
                    new FailureGroup(
                            cause,
                            scopedConnection.destinationName(),
                            failures.n(),
                            failures.first(),
                            failures.last(),
                            failures.example());
            groups.merge(cause, group, FailureGroup::merge);
        }
    }

    /// Records the id at which the scan stopped early. Deliveries with this id or a greater one
    /// have already been scanned.
    void setStopped(UUID id) {
        stopped = Optional.of(id);
    }

    /// Returns one page of the groups as JSON.
    JsonObject json(ListPage page) {
        var items =
                groups.values().stream()
                        .sorted(LARGEST_FIRST)
                        .skip(page.offset())
                        .limit(page.limit())
                        .map(FailureGroup::json)
                        .toList();
        return JsonObject.items(items)
                .put("total", groups.size())
                .put("looked_at", scannedCount)
                .put("is_exact", stopped.isEmpty())
                .put(
                        "next_cursor",
                        stopped.map(id -> new PageCursor(id, scannedCount).text(page.list())));
    }
}
