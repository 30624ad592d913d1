package dev.sluice.platform.assembly;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.platform.mail.MailSender;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.trace.SpanExporter;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// The objects that all layers of the server share, built once at startup.
///
/// @param mail sends emails; empty if no mail server is configured
/// @param spans exports trace spans; empty if tracing is off
public record Foundation(
        Database database,
        Pools pools,
        Sealer sealer,
        Uuid7 ids,
        FoundationClocks clocks,
        Optional<MailSender> mail,
        Optional<SpanExporter> spans,
        Shutdown shutdown) {

    /// The server's clocks.
    ///
    /// @param shared shows the database's time, so that all nodes that share the database agree
    /// @param settled the clock for decisions that cannot be undone. If `shared` jumps forward by
    ///   more than 10 minutes, this clock follows only after the jump has lasted for an hour
    public record FoundationClocks(InstantSource shared, InstantSource settled) {}

    public InstantSource clock() {
        return clocks.shared();
    }

    public InstantSource settledClock() {
        return clocks.settled();
    }

    /// Returns the object to which all work reports its activity. Chores use it to run less often
    /// while there is no work.
    public Activity activity() {
        return shutdown.activity();
    }

    public Instant now() {
        return clock().instant();
    }
}
