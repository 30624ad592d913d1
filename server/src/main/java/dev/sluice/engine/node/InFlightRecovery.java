package dev.sluice.engine.node;

import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.InterruptedAttempt;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Halving;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/// At startup, counts a recovery (see [dev.sluice.engine.PoisonPolicy]) for each delivery whose
/// attempt was in flight when the previous process on this data directory died.
public final class InFlightRecovery {

    private static final Logger log = LoggerFactory.getLogger(InFlightRecovery.class);

    private InFlightRecovery() {}

    /// Counts the attempts that were in flight when the process that wrote the file died, then
    /// opens a recorder for this process. If the new file cannot be created, returns
    /// [InFlightRecorder#NO_OP].
    ///
    /// The caller must hold the data directory's lock, and must call this method before it takes
    /// over the previous process's deliveries. Otherwise, a delivery could be loaded again before
    /// its attempt is counted. If the call fails, it can be repeated: the old file is kept until
    /// all attempts have been counted. An attempt whose row cannot be updated, for example because
    /// the row is damaged, is not counted, so that it does not keep the server from starting.
    ///
    /// @param path the path of the file, which need not exist
    /// @param home identifies the data directory and the current boot of the machine; the attempts
    ///   in a file from another home are not counted
    public static InFlightRecorder recoverAndOpen(Path path, UUID home, Db db) {
        var interrupted = MappedInFlightRecorder.traces(path, home);
        if (!interrupted.isEmpty()) {
            count(interrupted, db);
        }
        try {
            return MappedInFlightRecorder.create(path, home);
        } catch (IOException e) {
            log.atWarn().setCause(e).log("in_flight_file.create_failed");
            return InFlightRecorder.NO_OP;
        }
    }

    private static void count(Collection<InterruptedAttempt> interrupted, Db db) {
        var counted = new AtomicInteger();
        Halving.run(
                        List.copyOf(interrupted),
                        part ->
                                counted.addAndGet(
                                        db.call(tx -> RecoveryStore.recordRecoveries(tx, part))))
                .forEach((attempt, cause) ->
                        log.atError()
                                .addKeyValue("delivery_id", attempt.delivery())
                                .setCause(cause)
                                .log("in_flight_attempt.count_failed"));
        log.atWarn()
                .addKeyValue("attempts", interrupted.size())
                .addKeyValue("counted", counted.get())
                .log("in_flight_attempts.recovered");
    }
}
