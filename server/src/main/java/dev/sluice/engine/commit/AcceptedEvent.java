package dev.sluice.engine.commit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.Optional;

/// An event that ingest accepted and the `Journal` must store, with its planned deliveries.
///
/// @param origin the source that received the event, as it was configured at that time
public record AcceptedEvent(
        EventId id,
        Source origin,
        String method,
        Optional<String> contentType,
        EventVerification verification,
        Payload payload,
        DeliveryPlan plan,
        Receipt receipt) {

    /// The cost, in bytes, of each row that is written for the event. It accounts for the memory
    /// that the planned delivery uses, and for the time to write the row, which is about as long as
    /// 1 KiB of payload takes.
    private static final int ROW_COST_BYTES = 1024;

    /// The cost, in bytes, of a filtered connection, which is only listed in the event's row. It
    /// accounts for the connection's id in memory and on the wire.
    private static final int LISTED_CONNECTION_COST_BYTES = 40;

    /// The deliveries that ingest planned for an event, and the connections that get none.
    ///
    /// @param filteredConnections connections whose filter the event did not match
    public record DeliveryPlan(
            List<PlannedDelivery> deliveries, List<ConnectionId> filteredConnections) {

        /// The plan for an event that is stored but not delivered.
        public static final DeliveryPlan NONE = new DeliveryPlan(List.of(), List.of());

        public DeliveryPlan {
            deliveries = List.copyOf(deliveries);
            filteredConnections = List.copyOf(filteredConnections);
        }
    }

    /// A delivery planned at ingest.
    ///
    /// @param isFresh whether the dispatcher has reserved memory to send the delivery immediately;
    ///   if not, the delivery is stored as waiting
    /// @param isUndecided whether ingest has not yet decided if the event matches the connection's
    ///   filter; this must be decided before the first attempt
    public record PlannedDelivery(
            DeliveryId id, Route route, boolean isFresh, boolean isUndecided) {

        public PlannedDelivery(DeliveryId id, Route route, boolean isFresh) {
            this(id, route, isFresh, false);
        }

        public ConnectionId connection() {
            return route.connection().id();
        }
    }

    public SourceId source() {
        return origin.id();
    }

    public List<PlannedDelivery> deliveries() {
        return plan.deliveries();
    }

    public List<ConnectionId> filteredConnections() {
        return plan.filteredConnections();
    }

    int fanout() {
        return deliveries().size() + filteredConnections().size();
    }

    /// Returns the event's cost, in bytes, while it is waiting to be stored: the memory that it
    /// uses plus the cost of the rows to write. The `Journal`'s limits apply to the sum of these
    /// costs.
    public long queueCostBytes() {
        int rows = 1 + deliveries().size();
        int listed = filteredConnections().size();
        return payload.memoryBytes()
                + (long) rows * ROW_COST_BYTES
                + (long) listed * LISTED_CONNECTION_COST_BYTES;
    }
}
