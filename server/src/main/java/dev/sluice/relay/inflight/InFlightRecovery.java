package dev.sluice.relay.inflight;

import dev.sluice.platform.db.Db;
import dev.sluice.relay.InFlightRecorder;
import dev.sluice.relay.store.RecoveryStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/// At start, counts the attempts that the previous process on this data directory left unfinished.
public final class InFlightRecovery {

    private static final Logger log = LoggerFactory.getLogger(InFlightRecovery.class);

    private InFlightRecovery() {}

    /// Counts the attempts that were in flight when the previous process died, then opens a
    /// recorder for this process.
    ///
    /// The caller must hold the lock of the data directory, and must call this before taking over
    /// from the previous process. Otherwise a delivery could be back in memory before its attempt
    /// is counted. If this is interrupted, it can be repeated: the old file is kept until
    /// everything is counted.
    ///
    /// @param path the path of the file, which need not exist
    /// @param home identifies the data directory; a file that was written elsewhere is not read
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
