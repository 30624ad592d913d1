package dev.sluice.observe.deadletters;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.ErrorCode;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Deliveries that failed alike: at the same destination, with the same code and the same answer.
/// Filled by one thread, part by part.
final class FailureGroups {

    private record Cause(
            DestinationId destination, Optional<Integer> code, Optional<Integer> responseStatus) {}

    /// @param example the newest of them
    private record Group(
            Cause cause,
            String destinationName,
            long n,
            Instant first,
            Instant last,
            UUID example) {

        private Group and(Group other) {
            return new Group(
                    cause,
                    destinationName,
                    n + other.n,
                    first.isBefore(other.first) ? first : other.first,
                    last.isAfter(other.last) ? last : other.last,
                    Uuid7.ORDER.compare(example, other.example) > 0 ? example : other.example);
        }

        private JsonObject json() {
            var delivery = new DeliveryId(example);
            return new JsonObject()
                    .put("destination_id", cause.destination)
                    .put("destination_name", destinationName)
                    .put("error_code", cause.code.map(number -> ErrorCode.numbered(number).text()))
                    .put("response_status", cause.responseStatus)
                    .put("count", n)
                    .put("first_seen", first)
                    .put("last_seen", last)
                    .put("example_delivery_id", delivery)
                    .put("example_event_id", delivery.event());
        }
    }

    /// The largest first, then what was seen last.
    private static final Comparator<Group> ORDER =
            Comparator.comparingLong(Group::n)
                    .thenComparing(Group::last)
                    .thenComparing(Group::example, Uuid7.ORDER)
                    .reversed();

    private final Scope scope;
    private final Map<Cause, Group> groups = new HashMap<>();
    private long lookedAt;
    private boolean isExact = true;

    FailureGroups(Scope scope) {
        this.scope = scope;
    }

    void add(List<Rows.Alike> parts) {
        for (var part : parts) {
            var target = scope.target(part.connection());
            var cause = new Cause(target.destination(), part.code(), part.responseStatus());
            var group =
                    new Group(
                            cause,
                            target.destinationName(),
                            part.n(),
                            part.first(),
                            part.last(),
                            part.example());
            groups.merge(cause, group, Group::and);
        }
    }

    /// @param n deliveries, the newest
    /// @param isAll whether there are no others
    void looked(long n, boolean isAll) {
        lookedAt = n;
        isExact = isAll;
    }

    /// One page of them.
    JsonObject json(Page page) {
        var items =
                groups.values().stream()
                        .sorted(ORDER)
                        .skip(page.offset())
                        .limit(page.limit())
                        .map(Group::json)
                        .toList();
        return JsonObject.items(items)
                .put("total", groups.size())
                .put("looked_at", lookedAt)
                .put("is_exact", isExact);
    }
}
