package dev.sluice.engine.commit;

import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.util.List;
import java.util.UUID;

/// Erases the events that belong to deleted workspaces, together with their deliveries and
/// attempts.
public final class ErasureStore {

    private ErasureStore() {}

    /// Erases up to `limit` events from one of the workspace's sources, together with their
    /// deliveries and attempts. Returns how many events were erased; 0 if the workspace has no
    /// events left.
    public static int eraseEvents(Tx tx, DeletedWorkspace workspace, int limit) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
        for (var source : workspace.sources()) {
            var events = oldestEvents(tx, source, limit);
            if (!events.isEmpty()) {
                eraseDeliveries(tx, source, events);
                return tx.update(
                        "delete from event where source_id = ? and id = any (?)",
                        source.value(),
                        events.stream().map(EventId::value).toList());
            }
        }
        return 0;
    }

    private static List<EventId> oldestEvents(Tx tx, SourceId source, int limit) {
        return tx.query(
                "select id from event where source_id = ? order by id limit ?",
                row -> new EventId(row.uuid("id")),
                source.value(),
                limit);
    }

    /// Erases these events' deliveries and attempts. A delivery's id contains its event's id, so an
    /// event's rows form a range in the primary key. The statements also contain the lowest and
    /// highest id across all the events, so that PostgreSQL can skip the partitions for other days.
    private static void eraseDeliveries(Tx tx, SourceId source, List<EventId> events) {
        var low = events.stream().map(EventId::value).toList();
        var high = events.stream().map(DeliveryId::maxIdOf).toList();
        UUID first = low.stream().reduce(low.getFirst(), Uuid7::min);
        UUID last = high.stream().reduce(high.getFirst(), Uuid7::max);
        tx.update(
                """
                delete from attempt
                 using unnest(?, ?) as range (low, high)
                 where source_id = ? and delivery_id > low and delivery_id <= high
                   and delivery_id > ? and delivery_id <= ?
                """,
                low,
                high,
                source.value(),
                first,
                last);
        tx.update(
                """
                delete from delivery
                 using unnest(?, ?) as range (low, high)
                 where source_id = ? and id > low and id <= high and id > ? and id <= ?
                """,
                low,
                high,
                source.value(),
                first,
                last);
        tx.update(
                """
                delete from delivery_work
                 using unnest(?, ?) as range (low, high)
                 where source_id = ? and id > low and id <= high and id > ? and id <= ?
                """,
                low,
                high,
                source.value(),
                first,
                last);
    }
}
