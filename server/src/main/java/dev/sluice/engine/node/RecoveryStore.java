package dev.sluice.engine.node;

import dev.sluice.engine.InterruptedAttempt;
import dev.sluice.engine.PoisonPolicy;
import dev.sluice.platform.db.Tx;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/// Counts how many times a process died during each delivery's attempts.
public final class RecoveryStore {

    private RecoveryStore() {}

    /// Counts one process death for each delivery whose interrupted attempt is still its latest.
    /// Repeating the call has no effect, because each epoch (a node's registration) is counted at
    /// most once for a delivery. [dev.sluice.engine.PoisonPolicy] limits the count.
    ///
    /// @return the number of deliveries that were updated, including any whose count was already at
    ///   the limit and is therefore unchanged
    public static int recordRecoveries(Tx tx, Collection<InterruptedAttempt> interrupted) {
        int[] counts =
                tx.updateEach(
                        """
                        update delivery_work
                           set recoveries = greatest(recoveries, least(recoveries + 1, ?)), recovered_epoch = ?
                         where id = ? and source_id = ? and attempts = ? and coalesce(recovered_epoch, 0) < ?
                        """,
                        interrupted.stream().map(RecoveryStore::arguments).toList());
        return Arrays.stream(counts).sum();
    }

    private static List<?> arguments(InterruptedAttempt interruptedAttempt) {
        return List.of(
                interruptedAttempt.isAlone()
                        ? PoisonPolicy.MAX_RECOVERIES
                        : PoisonPolicy.MAX_SHARED_RECOVERIES,
                interruptedAttempt.epoch(),
                interruptedAttempt.delivery().value(),
                interruptedAttempt.source().value(),
                interruptedAttempt.attempts(),
                interruptedAttempt.epoch());
    }
}
