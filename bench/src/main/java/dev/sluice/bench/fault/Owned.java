package dev.sluice.bench.fault;

import dev.sluice.bench.relay.OwnPostgres;

import java.time.Duration;

/// What one life of a relay has in memory, seen in the database.
///
/// @param epoch names that life
record Owned(OwnPostgres postgres, long epoch) {

    /// Lease, heartbeat and a little.
    static final double LATEST = 20;

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /// Deliveries that may be in its memory, fresh ones and those of the lanes it has leased: each
    /// may be sent once more if it goes now.
    long deliveries() {
        return postgres.number(
                """
                select (select count(*) from delivery_work where owner = %1$d)
                     + (select count(*) from delivery_work w
                          join lane l on l.connection_id = w.connection_id and l.trigger = w.trigger
                         where l.owner = %1$d and w.next_at is not null)
                """
                        .formatted(epoch));
    }

    /// Whether others have all that it had.
    boolean isMoved() {
        return postgres.number(
                        """
                        select (select count(*) from delivery_work where owner = %1$d)
                             + (select count(*) from lane where owner = %1$d)
                             + (select count(*) from node where epoch = %1$d and state = 'live')
                        """
                                .formatted(epoch))
                == 0;
    }

    /// Seconds until that is so, at most twice as many as allowed.
    double secondsUntilMoved() {
        return Stage.secondsUntil(PATIENCE, this::isMoved);
    }
}
