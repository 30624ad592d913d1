package dev.sluice.relay.wire;

import dev.sluice.platform.db.Db;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.store.RecoveryStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;

/// From one life of a data directory to the next.
public final class Succession {

    private static final Logger log = LoggerFactory.getLogger(Succession.class);

    private Succession() {}

    /// Counts what was on the wire when the life before died, and begins to note for this one.
    /// Called by who holds the directory's lock, and before anything is taken over from that life:
    /// then nobody can have what is counted in memory, uncounted. When it is cut short it can be
    /// repeated, since the file stays until all is counted.
    ///
    /// @param path of the file, whether it is there or not
    public static OnTheWire begin(Path path, Db db) {
        var boot = WireSlots.boot();
        var traces = WireSlots.traces(path, boot);
        if (!traces.isEmpty()) {
            int counted = db.call(tx -> RecoveryStore.count(tx, traces));
            log.atWarn()
                    .addKeyValue("on_the_wire", traces.size())
                    .addKeyValue("counted", counted)
                    .log("wire.died");
        }
        try {
            return WireSlots.create(path, boot);
        } catch (IOException e) {
            log.atWarn().setCause(e).log("wire.unavailable");
            return OnTheWire.UNNOTED;
        }
    }
}
