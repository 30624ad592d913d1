package dev.sluice.relay.store;

import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Looks over unfinished work, apart from the hot path.
public final class WorkStore {

    private WorkStore() {}

    /// What a node owns of events that came in before `before`.
    public static List<DeliveryId> ownedSince(Tx tx, long epoch, Instant before) {
        return tx.query(
                "select id from delivery_work where owner = ? and id < ?",
                row -> new DeliveryId(row.uuid("id")),
                epoch,
                Uuid7.floor(before));
    }

    /// Epochs that own anything.
    public static Set<Long> owners(Tx tx) {
        return new HashSet<>(
                tx.query(
                        "select distinct owner from delivery_work where owner is not null",
                        row -> row.number("owner")));
    }

    public static void release(Tx tx, Collection<DeliveryId> deliveries, long epoch, Instant now) {
        tx.update(
                "update delivery_work set owner = null, next_at = ? where id = any (?) and owner ="
                        + " ?",
                now,
                deliveries.stream().map(DeliveryId::value).toList(),
                epoch);
    }
}
