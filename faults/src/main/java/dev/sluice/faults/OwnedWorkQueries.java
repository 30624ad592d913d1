package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;

import java.time.Duration;

/// Finds in the database what one life of a relay has in memory.
///
/// @param epoch names that life
record OwnedWorkQueries(TestbedQueries queries, long epoch) {

    /// Lease, heartbeat and a little more.
    static final double TAKEOVER_TIMEOUT_SECONDS = 20;

    private static final Duration TAKEOVER_WATCH_TIMEOUT = Duration.ofSeconds(40);

    /// Deliveries that may be in its memory: fresh ones, and those of the lanes it has leased. Each
    /// may be sent once more if the relay dies now.
    long deliveries() {
        return queries.number(
                """
                select (select count(*) from delivery_work where owner = %1$d)
                     + (select count(*) from delivery_work w
                          join lane l on l.connection_id = w.connection_id and l.trigger = w.trigger
                         where l.owner = %1$d and w.next_at is not null)
                """
                        .formatted(epoch));
    }

    /// Whether other relays have everything that it had.
    boolean isTakenOver() {
        return queries.number(
                        """
                        select (select count(*) from delivery_work where owner = %1$d)
                             + (select count(*) from lane where owner = %1$d)
                             + (select count(*) from node where epoch = %1$d and state = 'live')
                        """
                                .formatted(epoch))
                == 0;
    }

    double secondsUntilTakenOver() {
        return Wait.secondsUntil(TAKEOVER_WATCH_TIMEOUT, this::isTakenOver);
    }
}
