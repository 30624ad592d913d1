package dev.sluice.relay.store;

import dev.sluice.platform.db.Tx;
import dev.sluice.relay.InterruptedAttempt;
import dev.sluice.relay.PoisonPolicy;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/// Counts, for each delivery, the process deaths that happened during one of its attempts.
public final class RecoveryStore {

    private RecoveryStore() {}

    /// Counts one process death for each of these deliveries whose interrupted attempt is still its
    /// latest. Repeating the call changes nothing, because a node's registration (its epoch) is
    /// counted at most once for each delivery.
    ///
    /// @return number of deliveries for which this call counted a death
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
