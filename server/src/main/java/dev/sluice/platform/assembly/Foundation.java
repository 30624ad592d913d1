package dev.sluice.platform.assembly;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.platform.mail.MailSender;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.trace.SpanExporter;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// The objects that all layers of the server share, built once at startup.
///
/// @param clock shows the database's time, so that all nodes on one database agree
/// @param settledClock for decisions that cannot be undone; if `clock` leaps forward by more than
///   10 minutes, this clock follows only after the leap has lasted for an hour
/// @param mail empty if no mail server is configured
/// @param spans empty if tracing is off
/// @param activity marked by all work, so that chores run less often while there is none
public record Foundation(
        Database database,
        Pools pools,
        Sealer sealer,
        Uuid7 ids,
        SecretGenerator random,
        InstantSource clock,
        InstantSource settledClock,
        Optional<MailSender> mail,
        Optional<SpanExporter> spans,
        Activity activity,
        Shutdown shutdown) {

    public Instant now() {
        return clock.instant();
    }
}
