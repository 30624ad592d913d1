package dev.sluice.relay.inflight;

import dev.sluice.platform.db.Db;
import dev.sluice.relay.InFlightRecorder;
import dev.sluice.relay.store.RecoveryStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/// Counts, at start, the attempts that were in flight when the previous process on this data
/// directory died.
public final class InFlightRecovery {

    private static final Logger log = LoggerFactory.getLogger(InFlightRecovery.class);

    private InFlightRecovery() {}

    /// Counts the attempts that were in flight when the process that wrote the file died, then
    /// opens a recorder for this process. If the new file cannot be created, returns
    /// [InFlightRecorder#NO_OP].
    ///
    /// The caller must hold the lock of the data directory, and must call this method before it
    /// takes over the deliveries of the previous process. Otherwise a delivery could be loaded
    /// again before its attempt is counted. If the call fails, it can be repeated: the old file is
    /// kept until all attempts are counted.
    ///
    /// @param path the path of the file, which need not exist
    /// @param home identifies the data directory and the current boot of the machine; the attempts
    ///   in a file of another home are not counted
    public static InFlightRecorder recoverAndOpen(Path path, UUID home, Db db) {
        var interrupted = MappedInFlightRecorder.traces(path, home);
        if (!interrupted.isEmpty()) {
            int counted = db.call(tx -> RecoveryStore.recordRecoveries(tx, interrupted));
            log.atWarn()
                    .addKeyValue("attempts", interrupted.size())
                    .addKeyValue("counted", counted)
                    .log("in_flight_attempts.recovered");
        }
        try {
            return MappedInFlightRecorder.create(path, home);
        } catch (IOException e) {
            log.atWarn().setCause(e).log("in_flight_file.create_failed");
            return InFlightRecorder.NO_OP;
        }
    }
}
