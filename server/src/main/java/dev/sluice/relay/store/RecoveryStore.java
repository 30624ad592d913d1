package dev.sluice.relay.store;

import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Recoveries;
import dev.sluice.relay.WireTrace;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/// Counts in which deaths of a process a delivery was on the wire.
public final class RecoveryStore {

    private RecoveryStore() {}

    /// Counts one death for each of these that still stands at the attempt that was being made.
    /// Repeating it changes nothing: of one delivery, a death is counted once for each epoch.
    ///
    /// @return how many were counted now
    public static int count(Tx tx, Collection<WireTrace> traces) {
        int[] counts =
                tx.updateEach(
                        """
                        update delivery_work
                           set recoveries = greatest(recoveries, least(recoveries + 1, ?)), recovered_epoch = ?
                         where id = ? and source_id = ? and attempts = ? and coalesce(recovered_epoch, 0) < ?
                        """,
                        traces.stream().map(RecoveryStore::arguments).toList());
        return Arrays.stream(counts).sum();
    }

    private static List<?> arguments(WireTrace trace) {
        return List.of(
                trace.isAlone() ? Recoveries.MOST : Recoveries.MOST_IN_COMPANY,
                trace.epoch(),
                trace.delivery().value(),
                trace.source().value(),
                trace.attempts(),
                trace.epoch());
    }
}
