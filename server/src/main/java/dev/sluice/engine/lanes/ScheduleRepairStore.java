package dev.sluice.engine.lanes;

import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;

import java.time.Instant;

/// Corrects due times that are too far in the future because the clock was set back after they were
/// stored.
public final class ScheduleRepairStore {

    private ScheduleRepairStore() {}

    /// Finds up to `limit` deliveries in a lane that are due later than `latest`, and makes them
    /// due at `now`. Returns the number of changed deliveries.
    public static int bringForward(Tx tx, Lane lane, Instant latest, Instant now, int limit) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.BITMAP_SCAN, PlannerFeature.SORT);
        return tx.update(
                """
                update delivery_work
                   set next_at = ?
                 where ctid = any (array(select ctid
                                           from delivery_work
                                          where source_id = ? and connection_id = ? and trigger = ?
                                            and next_at > ?
                                          order by next_at
                                          limit ?))
                   and next_at > ?
                """,
                now,
                lane.source().value(),
                lane.connection().value(),
                (int) lane.trigger().number(),
                latest,
                limit,
                latest);
    }
}
