package dev.sluice.engine.node;

import dev.sluice.engine.DeliveryId;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Finds and releases unfinished deliveries that a node owns. Meant for occasional checks, not for
/// code that runs for every event.
public final class OwnedDeliveryStore {

    private OwnedDeliveryStore() {}

    /// Returns the deliveries that the node with this epoch (see [dev.sluice.engine.Lease]) owns
    /// and whose events arrived before the given time.
    public static List<DeliveryId> ownedBefore(Tx tx, long epoch, Instant before) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN);
        return tx.query(
                "select id from delivery_work where owner = ? and id < ?",
                row -> new DeliveryId(row.uuid("id")),
                epoch,
                Uuid7.floor(before));
    }

    /// Returns the epochs of all nodes that own a delivery. The query steps from one owner to the
    /// next in the index, so the cost does not grow with the number of rows.
    public static Set<Long> owners(Tx tx) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.BITMAP_SCAN);
        return new HashSet<>(
                tx.query(
                        """
                        with recursive step as (
                          (select owner from delivery_work where owner is not null order by owner limit 1)
                          union all
                          select following.*
                            from step,
                                 lateral (select owner from delivery_work
                                           where owner > step.owner
                                           order by owner
                                           limit 1) as following)
                        select owner from step
                        """,
                        row -> row.number("owner")));
    }

    /// Releases these deliveries, which then wait again and are due at `now`. Skips deliveries that
    /// the node with this epoch no longer owns.
    ///
    /// The owner is compared in a way that no index supports, so that PostgreSQL reads only these
    /// rows and not all of the node's rows.
    public static void release(Tx tx, Collection<DeliveryId> deliveries, long epoch, Instant now) {
        tx.update(
                """
                update delivery_work
                   set owner = null, next_at = ?
                 where id = any (?) and owner is not distinct from ?
                """,
                now,
                deliveries.stream().map(DeliveryId::value).toList(),
                epoch);
    }
}
